#include "dataplane/neighbour/testing/port.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/ip.h"

namespace overlane::neighbour::testing {
namespace {

std::string said_by_arp(const MacAddress& to, std::span<const std::uint8_t> bytes) {
  const auto packet = wire::parse_arp(bytes).value();
  const auto sender = packet.sender.to_string();
  const auto target = packet.target.to_string();
  if (packet.operation == wire::kArpRequest)
    return fmt::format("{} asks {}: who has {}?", sender, to.to_string(), target);
  return fmt::format("{} is at {}, says it to {} at {}", sender, packet.sender_mac.to_string(),
                     target, to.to_string());
}

std::string said_by_discovery(const MacAddress& to, const wire::Ipv6Header& header,
                              const wire::NeighbourMessage& message) {
  const auto target = message.target.to_string();
  if (message.type == wire::kNeighbourSolicitation) {
    return fmt::format("{} asks {} at {}: who has {}?", header.source.to_string(),
                       header.destination.to_string(), to.to_string(), target);
  }
  return fmt::format("{} is {}, says it to {} at {}{}{}{}", target,
                     message.mac ? "at " + message.mac->to_string() : "here",
                     header.destination.to_string(), to.to_string(),
                     message.router ? ", router" : "", message.solicited ? ", solicited" : "",
                     message.overrides ? ", override" : "");
}

Bytes ethernet(const MacAddress& destination, const MacAddress& source, std::uint16_t type,
               std::size_t payload) {
  Bytes frame(wire::kEthernetBytes + payload);
  write(wire::EthernetHeader{.destination = destination, .source = source, .ether_type = type},
        frame);
  return frame;
}

Settings with_addresses(Settings settings) {
  settings.mac = kOurMac;
  for (const char* own : {"10.0.0.1", "2001:db8::1"})
    settings.answers.own.push_back(ip(own));
  return settings;
}

}  // namespace

std::string said(std::span<const std::uint8_t> frame) {
  const auto ethernet = wire::parse_ethernet(frame).value();
  const auto payload = frame.subspan(wire::kEthernetBytes);
  if (ethernet.ether_type == wire::kEtherTypeArp) return said_by_arp(ethernet.destination, payload);
  if (const auto header = wire::parse_ipv6(payload); header && header->hop_limit == 255) {
    if (const auto message = wire::parse_neighbour_message(payload.subspan(wire::kIpv6Bytes)))
      return said_by_discovery(ethernet.destination, *header, *message);
  }
  return fmt::format("a packet of {} bytes to {}", payload.size(),
                     ethernet.destination.to_string());
}

Port::Port(Settings settings) : link(with_addresses(std::move(settings))) {}

void Port::pass(Picos time) {
  const Picos until = now + time;
  while (link.next_deadline().value_or(until + picoseconds(1)) <= until) {
    now = std::max(now, *link.next_deadline());
    link.tick(now, *this);
  }
  now = until;
}

std::vector<std::string> Port::take_events() {
  return std::exchange(events, {});
}

void Port::transmit(std::span<const std::uint8_t> frame, Mark mark) {
  frames.emplace_back(frame.begin(), frame.end());
  const auto to = wire::parse_ethernet(frame).value().destination;
  events.push_back(fmt::format("a packet of {} bytes to {}", frame.size() - wire::kEthernetBytes,
                               to.to_string()));
  marks.push_back(mark);
}
void Port::transmit_own(std::span<const std::uint8_t> frame) {
  frames.emplace_back(frame.begin(), frame.end());
  events.push_back(said(frame));
}
void Port::learned(const IpAddress& address, const MacAddress& mac) {
  events.push_back("learned " + address.to_string() + " " + mac.to_string());
}
void Port::lost(const IpAddress& address) {
  events.push_back("lost " + address.to_string());
}
void Port::unanswered(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark) {
  events.push_back(fmt::format("unanswered by {}: {} bytes", next_hop.to_string(), packet.size()));
  marks.push_back(mark);
}
void Port::undelivered(const IpAddress& next_hop, std::span<const std::uint8_t> packet, Mark mark) {
  marks.push_back(mark);
  events.push_back(fmt::format("undelivered to {}: {} bytes", next_hop.to_string(), packet.size()));
}

Bytes arp(std::uint16_t operation, const MacAddress& sender_mac, const IpAddress& sender,
          const IpAddress& target, const MacAddress& destination) {
  Bytes frame = ethernet(destination, sender_mac, wire::kEtherTypeArp, wire::kArpBytes);
  const bool is_reply = operation == wire::kArpReply;
  write(wire::ArpPacket{.operation = operation,
                        .sender_mac = sender_mac,
                        .sender = sender.ipv4(),
                        .target_mac = is_reply ? destination : MacAddress{},
                        .target = target.ipv4()},
        std::span(frame).subspan(wire::kEthernetBytes));
  return frame;
}

Bytes arp_request(const IpAddress& sender, const IpAddress& target, const MacAddress& sender_mac) {
  return arp(wire::kArpRequest, sender_mac, sender, target, kBroadcastMac);
}

Bytes arp_reply(const IpAddress& sender, const MacAddress& sender_mac) {
  return arp(wire::kArpReply, sender_mac, sender, ip("10.0.0.1"), kOurMac);
}

Bytes neighbour_frame(const wire::NeighbourMessage& message, const IpAddress& source,
                      const IpAddress& destination, const MacAddress& destination_mac) {
  Bytes frame = ethernet(destination_mac, kTheirMac, wire::kEtherTypeIpv6,
                         wire::kIpv6Bytes + message.bytes());
  write_packet(message, source, destination, std::span(frame).subspan(wire::kEthernetBytes));
  return frame;
}

Bytes solicitation(const IpAddress& source, const IpAddress& target) {
  const IpAddress group = solicited_node(target);
  return neighbour_frame({.target = target.ipv6(), .mac = kTheirMac}, source, group,
                         multicast_mac(group));
}

Bytes advertisement(const wire::NeighbourMessage& message) {
  return neighbour_frame(message, message.target, ip("2001:db8::1"), kOurMac);
}

Bytes packet_from(const IpAddress& source, std::size_t bytes) {
  return wire::ip_packet({.source = source, .destination = ip("10.0.0.2"), .protocol = wire::kUdp},
                         bytes);
}

}  // namespace overlane::neighbour::testing
