#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace {

using testing::require;
using testing::require_same_bytes;

/// A frame and all tags in it are written as the same bytes.
void check(std::span<const std::uint8_t> frame) {
  const auto header = parse_ethernet(frame);
  require(header.has_value() == (frame.size() >= kEthernetBytes));
  if (!header) return;
  require_same_bytes(*header, kEthernetBytes, frame);
  std::uint16_t ether_type = header->ether_type;
  auto rest = frame.subspan(kEthernetBytes);
  while (announces_vlan(ether_type)) {
    const auto tag = parse_vlan(rest);
    require(tag.has_value() == (rest.size() >= kVlanTagBytes));
    if (!tag) return;
    require_same_bytes(*tag, kVlanTagBytes, rest);
    ether_type = tag->ether_type;
    rest = rest.subspan(kVlanTagBytes);
  }
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check({data, size});
  return 0;
}
