#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::require;
using testing::require_same_bytes;

void check_options(const Ipv6Extension& extension) {
  if (extension.kind != kHopByHop && extension.kind != kDestinationOptions) return;
  Ipv6Options options(extension);
  std::size_t size = 2;
  while (const auto option = options.next())
    size += option->type == kPad1 ? 1 : 2 + option->data.size();
  require(options.malformed() ? size < extension.bytes.size() : size == extension.bytes.size());
}

/// Extension headers follow each other without a gap, and the last byte of the walk is inside.
void check_extensions(std::span<const std::uint8_t> packet) {
  Ipv6Extensions extensions(packet);
  std::size_t end = kIpv6Bytes;
  while (const auto extension = extensions.next()) {
    require(extension->offset == end);
    end += extension->bytes.size();
    check_options(*extension);
  }
  require(end <= packet.size() && end == extensions.offset());
  const auto upper = find_upper_layer(packet);
  require(upper.has_value() == !extensions.malformed());
  if (upper && upper->fragment) {
    require(upper->fragment_header_offset + kFragmentHeaderBytes <= upper->offset);
  }
}

void check(std::span<const std::uint8_t> bytes) {
  require(inspect_ipv6(bytes).has_value() == (bytes.size() >= kIpv6Bytes));
  const auto header = parse_ipv6(bytes);
  if (!header) return;
  require(parse_quoted_ipv6(bytes).value() == *header);
  require_same_bytes(*header, kIpv6Bytes, bytes);
  check_extensions(packet_of(*header, bytes));
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
