#include "dataplane/dpdk/slow/host_fragments.h"

#include <vector>

#include "dataplane/forward/fragment.h"
#include "dataplane/rebuild/cut.h"
#include "dataplane/rebuild/layout.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::dpdk {
namespace {

using PacketBytes = std::span<const std::uint8_t>;

/// The header of a packet to be cut; no IPv6 extension header stays in front of its pieces.
forward::IpFields fields_of(PacketBytes packet, const rebuild::Layout& layout,
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

void in_pieces(PacketBytes packet, std::uint32_t mtu, std::uint32_t identification,
               const std::function<void(PacketBytes)>& take) {
  const rebuild::Layout layout = rebuild::layout_of(packet);
  if (packet.size() <= mtu || layout.is_fragment()) return take(packet);
  std::vector<std::uint8_t> whole(packet.begin(), packet.end());
  rebuild::PacketBuffer buffer;
  const forward::Packet described{.inner = fields_of(packet, layout, identification)};
  forward::fragment(described, mtu, [&](const forward::Packet& piece) {
    take(rebuild::cut(whole, piece.inner, buffer));
  });
}

}  // namespace overlane::dpdk
