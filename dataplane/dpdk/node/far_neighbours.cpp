#include "dataplane/dpdk/node/far_neighbours.h"

#include "dataplane/net/byte_order.h"
#include "dataplane/wire/arp.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip_protocol.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/neighbour_discovery.h"

namespace overlane::dpdk {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kNetwork = wire::kEthernetBytes;
constexpr std::size_t kMessage = kNetwork + wire::kIpv6Bytes;

bool is_solicitation(std::span<const std::uint8_t> frame) {
  return frame.size() >= kMessage + wire::kNeighbourMessageBytes &&
         frame[kNetwork + 6] == wire::kIcmpv6 && frame[kMessage] == wire::kNeighbourSolicitation;
}

}  // namespace

std::optional<Bytes> FarNeighbours::answer(std::span<const std::uint8_t> frame) {
  const auto header = wire::parse_ethernet(frame);
  if (!header) return std::nullopt;
  if (header->ether_type == wire::kEtherTypeArp) return arp_reply(frame);
  if (header->ether_type == wire::kEtherTypeIpv6 && is_solicitation(frame)) {
    return advertisement(frame);
  }
  return std::nullopt;
}

std::optional<IpAddress> FarNeighbours::with(const MacAddress& mac) const {
  const auto found = addresses_.find(mac);
  return found == addresses_.end() ? std::nullopt : std::optional(found->second);
}

MacAddress FarNeighbours::mac_of(IpAddress address) {
  MacAddress mac{{0x02}};
  store_be32(mac.bytes.data() + 2, static_cast<std::uint32_t>(macs_.size() + 1));
  mac = macs_.try_emplace(address, mac).first->second;
  addresses_.emplace(mac, address);
  return mac;
}

Bytes FarNeighbours::arp_reply(std::span<const std::uint8_t> request) {
  const auto asked = wire::parse_arp(request.subspan(kNetwork));
  Bytes reply(kNetwork + wire::kArpBytes);
  if (!asked) return {};
  const MacAddress mac = mac_of(asked->target);
  wire::write(wire::EthernetHeader{asked->sender_mac, mac, wire::kEtherTypeArp}, reply);
  wire::write(
      wire::ArpPacket{wire::kArpReply, mac, asked->target, asked->sender_mac, asked->sender},
      std::span(reply).subspan(kNetwork));
  return reply;
}

Bytes FarNeighbours::advertisement(std::span<const std::uint8_t> solicitation) {
  const auto ip = wire::parse_ipv6(solicitation.subspan(kNetwork));
  const auto asked = wire::parse_neighbour_message(solicitation.subspan(kMessage));
  if (!ip || !asked || !asked->mac) return {};
  const MacAddress mac = mac_of(asked->target);
  const wire::NeighbourMessage message{.type = wire::kNeighbourAdvertisement,
                                       .solicited = true,
                                       .overrides = true,
                                       .target = asked->target,
                                       .mac = mac};
  Bytes reply(kMessage + message.bytes());
  wire::write(wire::EthernetHeader{*asked->mac, mac, wire::kEtherTypeIpv6}, reply);
  wire::write_packet(message, asked->target, ip->source, std::span(reply).subspan(kNetwork));
  return reply;
}

}  // namespace overlane::dpdk
