#include "dataplane/reference/reference.h"

#include <string>

#include <fmt/format.h>

namespace overlane::reference {
namespace {

forward::Outcome decoded(const node::TunnelPorts& ports, const ByteOutcome& outcome) {
  forward::Outcome decoded{.drop = outcome.drop, .held = outcome.held};
  for (const ByteNode::Sent& sent : outcome.sent) {
    decoded.emissions.push_back(
        {sent.egress, decode(sent.bytes, ports), sent.next_hop, sent.is_reply});
  }
  return decoded;
}

using forward::Packet;

/// The fields to compare. Of a fragment of an encapsulated packet, only the outer header.
Packet visible(Packet packet) {
  if (packet.is_encapsulated() && packet.outer.is_fragment()) return {.inner = packet.outer};
  packet.transport_fault = false;
  return packet;
}

std::string drop_name(const std::optional<Drop>& drop) {
  return drop ? std::string(to_string(*drop)) : "no drop";
}

std::string header_text(const forward::IpFields& header) {
  return fmt::format("{} > {} protocol {} id {} length {} offset {}{}{} ttl {} tos {}",
                     header.source.to_string(), header.destination.to_string(), header.protocol,
                     header.identification, header.total_length, header.fragment_offset,
                     header.dont_fragment ? " DF" : "", header.more_fragments ? " MF" : "",
                     header.ttl, header.tos);
}

/// Describes the packet for a reported difference.
std::string full_text(const Packet& packet) {
  std::string text = fmt::format("{} ports {} {} flags {}", header_text(packet.inner),
                                 packet.source_port, packet.destination_port, packet.tcp_flags);
  if (packet.icmp) {
    const forward::IcmpError& icmp = *packet.icmp;
    text +=
        fmt::format(" icmp {}/{} mtu {} pointer {} about {} > {} protocol {} ports {} {}",
                    icmp.type, icmp.code, icmp.next_hop_mtu, icmp.pointer,
                    icmp.quoted_source.to_string(), icmp.quoted_destination.to_string(),
                    icmp.quoted_protocol, icmp.quoted_source_port, icmp.quoted_destination_port);
  }
  if (packet.is_encapsulated()) {
    text += fmt::format(" in {} {} ports {} {} vni {}", to_string(packet.encapsulation),
                        header_text(packet.outer), packet.outer_source_port,
                        packet.outer_destination_port, packet.vni);
  }
  return text;
}

std::string packets_differ(const Packet& fast, const Packet& reference) {
  const Packet a = visible(fast);
  const Packet b = visible(reference);
  return a == b ? "" : fmt::format("packet {} against {}", full_text(a), full_text(b));
}

}  // namespace

forward::Outcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                         const forward::Packet& packet, forward::Ingress ingress, Picos now,
                         TableIndices* indices) {
  ByteNode node(state, runtime, now, indices == nullptr ? nullptr : indices->of(state.cluster));
  node.run(encode(packet), ingress, nullptr, &packet);
  return decoded(tunnel_ports(state, &packet), {std::move(node.sent), node.drop, node.held});
}

ByteOutcome forward(const node::NodeState& state, node::NodeRuntime& runtime,
                    HeldFragments& fragments, const Bytes& bytes, forward::Ingress ingress,
                    Picos now) {
  ByteNode node(state, runtime, now);
  node.run(bytes, ingress, &fragments, nullptr);
  return {std::move(node.sent), node.drop, node.held};
}

forward::Outcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                          const node::ReassemblyTable::Expired& lost, Picos now) {
  ByteNode node(state, runtime, now);
  node.time_out(lost, nullptr);
  return decode(state, {.sent = std::move(node.sent)});
}

ByteOutcome time_out(const node::NodeState& state, node::NodeRuntime& runtime,
                     HeldFragments& fragments, const node::ReassemblyTable::Expired& lost,
                     Picos now) {
  ByteNode node(state, runtime, now);
  node.time_out(lost, &fragments);
  return {.sent = std::move(node.sent)};
}

forward::Outcome decode(const node::NodeState& state, const ByteOutcome& outcome) {
  return decoded(node::tunnel_ports(state), outcome);
}

std::string compare(const forward::Outcome& fast, const forward::Outcome& reference) {
  if (fast.drop != reference.drop) {
    return fmt::format("{} against {}", drop_name(fast.drop), drop_name(reference.drop));
  }
  if (fast.held != reference.held) return "not held for the same packet by both";
  if (fast.emissions.size() != reference.emissions.size()) {
    return fmt::format("{} packets out against {}", fast.emissions.size(),
                       reference.emissions.size());
  }
  for (std::size_t i = 0; i < fast.emissions.size(); ++i) {
    const forward::Emission& a = fast.emissions[i];
    const forward::Emission& b = reference.emissions[i];
    if (a.egress != b.egress) return fmt::format("another egress for packet {}", i);
    if (a.next_hop != b.next_hop) {
      return fmt::format("next hop {} against {}", a.next_hop.to_string(), b.next_hop.to_string());
    }
    if (a.is_reply != b.is_reply) return fmt::format("packet {} is a reply for one only", i);
    if (auto difference = packets_differ(a.packet, b.packet); !difference.empty()) {
      return difference;
    }
  }
  return "";
}

std::string compare(const forward::FabricOutcome& fast, const forward::FabricOutcome& reference) {
  if (fast.drop != reference.drop) {
    return fmt::format("{} against {}", drop_name(fast.drop), drop_name(reference.drop));
  }
  if (!fast.drop && fast.instance != reference.instance) {
    return fmt::format("instance {} against {}", fast.instance, reference.instance);
  }
  if (fast.reply.has_value() != reference.reply.has_value()) return "a reply from one only";
  if (fast.reply) {
    if (auto difference = packets_differ(*fast.reply, *reference.reply); !difference.empty()) {
      return difference;
    }
  }
  if (fast.denied_reply.has_value() != reference.denied_reply.has_value())
    return "a denied reply from one only";
  if (fast.denied_reply) {
    if (auto difference = packets_differ(*fast.denied_reply, *reference.denied_reply);
        !difference.empty()) {
      return difference;
    }
  }
  return packets_differ(fast.packet, reference.packet);
}

}  // namespace overlane::reference
