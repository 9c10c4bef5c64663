#include <algorithm>

#include "dataplane/net/testing/require.h"
#include "dataplane/wire/geneve.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;

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
  Bytes written(header_bytes(*header));
  write(*header, written);
  require(written.size() <= bytes.size());
  require(std::equal(written.begin(), written.end(), bytes.begin()));
  check_options(header->options);
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
