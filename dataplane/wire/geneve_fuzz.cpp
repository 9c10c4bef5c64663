#include "dataplane/wire/geneve.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;
using testing::require_same_bytes;

/// Options that can be read are written as the same bytes, but for three reserved bits each.
void check_options(std::span<const std::uint8_t> bytes) {
  GeneveOptions options(bytes);
  std::size_t size = 0;
  while (const auto option = options.next()) {
    Bytes written(header_bytes(*option));
    write(*option, written);
    Bytes read(bytes.begin() + static_cast<std::ptrdiff_t>(size),
               bytes.begin() + static_cast<std::ptrdiff_t>(size + written.size()));
    read[3] &= 0x1f;
    require(written == read);
    size += written.size();
  }
  require(options.malformed() ? size < bytes.size() : size == bytes.size());
}

void check(std::span<const std::uint8_t> bytes) {
  const auto header = parse_geneve(bytes);
  if (!header) return;
  require_same_bytes(*header, header_bytes(*header), bytes);
  check_options(header->options);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
