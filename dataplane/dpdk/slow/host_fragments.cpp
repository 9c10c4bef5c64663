#include "dataplane/dpdk/slow/host_fragments.h"

#include <vector>

#include "dataplane/byte_rewrite/fragmentation.h"
#include "dataplane/byte_rewrite/layout.h"
#include "dataplane/forward/fragment.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::dpdk {
namespace {

using PacketBytes = std::span<const std::uint8_t>;

/// The header of a packet to be cut; no IPv6 extension header stays in front of its fragments.
forward::IpFields fields_of(PacketBytes packet, const byte_rewrite::Layout& layout,
                            std::uint32_t identification) {
  forward::IpFields fields;
  fields.total_length = static_cast<std::uint32_t>(packet.size());
  if (layout.ipv4) {
    const wire::Ipv4Header header = wire::parse_quoted_ipv4(packet).value();
    fields.source = header.source;
    fields.destination = header.destination;
    fields.identification = header.identification;
    fields.option_bytes = static_cast<std::uint16_t>(layout.shared - forward::kIpv4HeaderBytes);
    fields.ttl = header.ttl;
  } else {
    const auto header = wire::parse_ipv6(packet).value();
    fields.source = header.source;
    fields.destination = header.destination;
    fields.identification = identification;
    fields.ttl = header.hop_limit;
  }
  return fields;
}

}  // namespace

void as_fragments(PacketBytes packet, std::uint32_t mtu, std::uint32_t identification,
                  const std::function<void(PacketBytes)>& take) {
  const byte_rewrite::Layout layout = byte_rewrite::layout_of(packet);
  if (packet.size() <= mtu || layout.is_fragment()) return take(packet);
  std::vector<std::uint8_t> whole(packet.begin(), packet.end());
  byte_rewrite::PacketBuffer buffer;
  const forward::Packet described{.inner = fields_of(packet, layout, identification)};
  forward::fragment(described, mtu, [&](const forward::Packet& fragment) {
    take(byte_rewrite::fragment(whole, fragment.inner, buffer));
  });
}

}  // namespace overlane::dpdk
