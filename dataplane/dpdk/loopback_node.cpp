#include "dataplane/dpdk/loopback_node.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/wire/address_resolution.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kNetwork = wire::kEthernetBytes;
constexpr std::size_t kMessage = kNetwork + wire::kIpv6Bytes;

bool is_solicitation(std::span<const std::uint8_t> frame) {
  return frame.size() >= kMessage + wire::kNeighbourMessageBytes &&
         frame[kNetwork + 6] == wire::kIcmpv6 && frame[kMessage] == wire::kNeighbourSolicitation;
}

using forward::Egress;
using forward::Ingress;

constexpr std::uint32_t kBuffers = 1023;
constexpr std::uint16_t kBurst = 32;
/// Source address of frames that come from no neighbour.
constexpr MacAddress kSender{{0x02, 0xff}};

Egress place_of(Ingress ingress) {
  switch (ingress) {
    case Ingress::Pod:
      return Egress::Pod;
    case Ingress::Uplink:
      return Egress::Uplink;
    case Ingress::Host:
      return Egress::Host;
  }
  return Egress::Host;
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

Parsed<LoopbackNode::Place> LoopbackNode::place(Egress egress, const PacketPool& pool,
                                                std::uint32_t mtu) {
  static std::atomic<unsigned> made = 0;
  auto wire = RingWire::make(fmt::format("loopback{}", made++), pool);
  if (!wire) return fail(wire.error());
  auto port = Port::start(wire->device(), {}, mtu, pool);
  if (!port) return fail(port.error());
  return Place{egress, std::move(*wire), std::make_unique<const Port>(std::move(*port)), {}};
}

Parsed<std::unique_ptr<LoopbackNode>> LoopbackNode::make(std::uint32_t mtu) {
  auto pool = PacketPool::make(kBuffers, wire::kEthernetBytes + mtu);
  if (!pool) return fail(pool.error());
  std::unique_ptr<LoopbackNode> node(new LoopbackNode(mtu, std::move(*pool)));
  for (const Egress egress : {Egress::Pod, Egress::Uplink, Egress::Host}) {
    auto one = place(egress, node->pool_, mtu);
    if (!one) return fail(one.error());
    node->places_.push_back(std::move(*one));
  }
  const auto& places = node->places_;
  node->forwarder_ = std::make_unique<Forwarder>(
      node->pool_, NodePorts{*places[0].port, *places[1].port, places[2].port.get()}, kBurst);
  return node;
}

Parsed<std::vector<SentPacket>> LoopbackNode::arrive(std::span<const std::uint8_t> packet,
                                                     Ingress ingress, Picos now) {
  if (packet.size() > mtu_) {
    return fail(fmt::format("a packet of {} bytes; the ports carry {}", packet.size(), mtu_));
  }
  auto& at = *std::ranges::find(places_, place_of(ingress), &Place::egress);
  const auto source = neighbour::source_of(packet);
  const auto frame =
      wire::framed(packet, at.port->mac(), source ? at.neighbours.mac_of(*source) : kSender);
  if (!at.wire.put(frame)) return fail(std::string("no buffer is free"));
  return pass_time(now);
}

Parsed<std::vector<SentPacket>> LoopbackNode::pass_time(Picos now) {
  std::vector<SentPacket> sent;
  for (bool asked = true; asked;) {
    forwarder_->poll(now);
    asked = false;
    for (Place& at : places_) {
      for (const std::vector<std::uint8_t>& frame : at.wire.take()) {
        if (const auto answer = at.neighbours.answer(frame)) {
          asked = at.wire.put(*answer) || asked;
          continue;
        }
        auto one = read(at, frame);
        if (!one) return fail(one.error());
        sent.push_back(std::move(*one));
      }
    }
  }
  std::ranges::stable_sort(sent, {}, &SentPacket::egress);
  return sent;
}

Parsed<SentPacket> LoopbackNode::read(const Place& at,
                                      const std::vector<std::uint8_t>& frame) const {
  const auto header = wire::parse_ethernet(frame);
  if (!header) return fail(std::string("a frame left that is too short"));
  const auto next_hop = at.neighbours.with(header->destination);
  if (!next_hop || header->source != at.port->mac()) {
    return fail(fmt::format("a frame left from {} to {}", header->source.to_string(),
                            header->destination.to_string()));
  }
  return SentPacket{at.egress, *next_hop, {frame.begin() + wire::kEthernetBytes, frame.end()}};
}

}  // namespace overlane::dpdk
