#include "dataplane/dpdk/host_pieces.h"

#include <algorithm>
#include <vector>

#include "dataplane/rebuild/cut.h"
#include "dataplane/rebuild/layout.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

namespace overlane::dpdk {
namespace {

using PacketBytes = std::span<const std::uint8_t>;

/// The header that the pieces of a packet have, all but their place; no IPv6 extension header stays
/// in front.
forward::IpFields fields_of(PacketBytes packet, const rebuild::Layout& layout,
                            std::uint32_t identification) {
  forward::IpFields fields;
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
  rebuild::PacketBuffer piece;
  forward::IpFields wanted = fields_of(packet, layout, identification);
  wanted.more_fragments = true;
  const std::uint32_t header = wanted.header_bytes();
  const std::uint32_t room = (mtu - header) / 8 * 8;
  const auto fixed = layout.ipv4 ? header : forward::kIpv6HeaderBytes;
  const auto payload = static_cast<std::uint32_t>(packet.size()) - fixed;
  for (std::uint32_t at = 0; at < payload; at += room) {
    wanted.fragment_offset = static_cast<std::uint16_t>(at);
    wanted.more_fragments = payload - at > room;
    wanted.total_length = header + std::min(room, payload - at);
    take(rebuild::cut(whole, wanted, piece));
  }
}

}  // namespace overlane::dpdk
