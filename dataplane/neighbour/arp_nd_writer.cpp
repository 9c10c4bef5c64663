#include "dataplane/neighbour/arp_nd_writer.h"

#include <cstring>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::neighbour {
namespace {

bool is_ipv6(std::span<const std::uint8_t> packet) {
  return packet[0] >> 4 == 6;
}

}  // namespace

IpAddress ArpNdWriter::source(Family family, std::span<const std::uint8_t> waiting) const {
  const auto of_packet = source_of(waiting);
  std::optional<IpAddress> best;
  for (const IpAddress& address : own_) {
    if (address.family() != family) continue;
    if (address == of_packet) return address;
    if (!best || (is_link_local(address) && !is_link_local(*best))) best = address;
  }
  return best.value_or(Ipv4Address{});
}

void ArpNdWriter::send_request(const IpAddress& target, const std::optional<MacAddress>& known,
                               std::span<const std::uint8_t> waiting) {
  const IpAddress from = source(target.family(), waiting);
  if (target.is_ipv4()) {
    return send({.operation = wire::kArpRequest,
                 .sender_mac = mac_,
                 .sender = from.ipv4(),
                 .target = target.ipv4()},
                known.value_or(kBroadcastMac));
  }
  const IpAddress group = solicited_node(target);
  send({.type = wire::kNeighbourSolicitation, .target = target.ipv6(), .mac = mac_}, from,
       known ? target : group, known ? *known : multicast_mac(group));
}

void ArpNdWriter::answer(const wire::ArpPacket& request) {
  send({.operation = wire::kArpReply,
        .sender_mac = mac_,
        .sender = request.target,
        .target_mac = request.sender_mac,
        .target = request.sender},
       request.sender_mac);
}

void ArpNdWriter::answer(const wire::NeighbourMessage& advertisement, const IpAddress& destination,
                         const MacAddress& destination_mac) {
  send(advertisement, advertisement.target, destination, destination_mac);
}

void ArpNdWriter::deliver(const MacAddress& destination, const ToSend& packet) {
  const auto& bytes = packet.bytes;
  const std::uint16_t type = is_ipv6(bytes) ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4;
  std::memcpy(start(destination, type, bytes.size()).data(), bytes.data(), bytes.size());
  events_.transmit(frame_, packet.mark);
}

void ArpNdWriter::send(const wire::ArpPacket& packet, const MacAddress& destination) {
  write(packet, start(destination, wire::kEtherTypeArp, wire::kArpBytes));
  events_.transmit_own(frame_);
}

void ArpNdWriter::send(const wire::NeighbourMessage& message, const IpAddress& source,
                       const IpAddress& destination, const MacAddress& destination_mac) {
  const auto to = start(destination_mac, wire::kEtherTypeIpv6, wire::kIpv6Bytes + message.bytes());
  write_packet(message, source, destination, to);
  events_.transmit_own(frame_);
}

std::span<std::uint8_t> ArpNdWriter::start(const MacAddress& destination, std::uint16_t ether_type,
                                           std::size_t payload_bytes) {
  frame_.resize(wire::kEthernetBytes + payload_bytes);
  write(wire::EthernetHeader{.destination = destination, .source = mac_, .ether_type = ether_type},
        frame_);
  return std::span(frame_).subspan(wire::kEthernetBytes);
}

}  // namespace overlane::neighbour
