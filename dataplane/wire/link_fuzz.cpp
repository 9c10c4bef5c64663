#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/testing/bytes.h"

// Fuzz target of ethernet.h and address_resolution.h: decodes every input as an Ethernet frame, as
// ARP and as neighbour discovery.

namespace overlane::wire {
namespace {

using testing::Bytes;
using testing::require;
using testing::require_same_bytes;

/// Checks that a frame and all its VLAN tags are written as the same bytes.
void check_ethernet(std::span<const std::uint8_t> frame) {
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

void check_arp(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_arp(bytes);
  require(inspected.has_value() == (bytes.size() >= kArpBytes));
  const auto packet = parse_arp(bytes);
  require(packet.has_value() == (inspected && inspected->problems.empty()));
  if (packet) require_same_bytes(*packet, kArpBytes, bytes);
}

const IpAddress kSource = IpAddress::parse("2001:db8::1").value();
const IpAddress kDestination = IpAddress::parse("2001:db8::2").value();

void check_neighbour_discovery(std::span<const std::uint8_t> bytes) {
  const auto inspected = inspect_neighbour_message(bytes);
  require(inspected.has_value() == (bytes.size() >= kNeighbourMessageBytes));
  const auto message = parse_neighbour_message(bytes);
  require(message.has_value() == (inspected && !inspected->problems.drop()));
  if (!message) return;
  Bytes written(message->bytes());
  write(*message, kSource, kDestination, written);
  require(parse_neighbour_message(written).value() == *message);
  require(parse_icmpv6(kSource, kDestination, written).has_value());
}

}  // namespace
}  // namespace overlane::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overlane::wire::check_ethernet({data, size});
  overlane::wire::check_arp({data, size});
  overlane::wire::check_neighbour_discovery({data, size});
  return 0;
}
