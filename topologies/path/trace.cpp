#include "topologies/path/trace.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/net/prefix.h"
#include "dataplane/node/text/state_text.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/transport.h"
#include "topologies/path/needed.h"
#include "topologies/path/packet_trace.h"

namespace overlane::path {
namespace {

using forward::Ingress;
using forward::IpFields;
using forward::Packet;
using forward::PacketBuilder;

const std::pair<IpPrefix, node::FabricRoute>* route_of(const node::FabricState& fabric,
                                                       std::uint32_t from, IpAddress destination) {
  const node::Subnet& subnet = fabric.subnets[fabric.instances[from].subnet];
  return fabric.route_tables[subnet.route_table].routes.longest_match(destination);
}

/// The sender of a packet.
struct Sender {
  std::uint32_t node = 0;
  bool is_pod = true;
};

PacketBuilder answering(const Packet& packet) {
  const IpAddress from = packet.inner.destination;
  const IpAddress to = packet.inner.source;
  if (packet.inner.is_icmp()) return PacketBuilder::echo_reply(from, to, packet.source_port);
  const bool opens = (packet.tcp_flags & wire::kTcpSyn) != 0;
  const std::uint8_t flags = (opens ? wire::kTcpSyn : wire::kTcpPsh) | wire::kTcpAck;
  PacketBuilder builder = packet.inner.protocol == forward::kTcp
                              ? PacketBuilder::tcp(from, to, flags)
                              : PacketBuilder(packet.inner.protocol, from, to);
  return builder.ports(packet.destination_port, packet.source_port);
}

class Traveller {
 public:
  explicit Traveller(const compile::Compiled& states)
      : states_(states), packet_trace_(states, trace_) {}

  Trace run(const TraceRequest& request) {
    begin(TracedPacket::Kind::Packet, "packet");
    Packet asked = request.packet;
    if (request.service) {
      asked.inner.destination = request.service->address;
      asked.destination_port = request.service->port;
    }
    send({request.from_node, request.from_pod}, asked, request);
    trace_.delivered = all_of(request.packet, request.packet.inner.destination);
    if (request.answer && trace_.delivered) answer(request, asked);
    return std::move(trace_);
  }

 private:
  void begin(TracedPacket::Kind kind, std::string name) {
    root_ = static_cast<std::uint32_t>(trace_.packets.size());
    first_arrival_ = trace_.arrived.size();
    trace_.packets.push_back({kind, std::move(name), std::nullopt});
  }

  void add(std::string place, std::string decision, std::string because, std::string entry = "",
           std::optional<Drop> drop = std::nullopt) {
    trace_.hops.push_back(
        {root_, std::move(place), std::move(decision), std::move(because), std::move(entry), drop});
  }

  /// Whether all payload bytes of the packet have arrived at address `to` since begin().
  bool all_of(const Packet& packet, IpAddress to) const {
    std::uint32_t bytes = 0;
    for (std::size_t i = first_arrival_; i < trace_.arrived.size(); ++i) {
      const DeliveredPacket& arrived = trace_.arrived[i];
      const bool is_meant = arrived.as.outermost().destination == to;
      if (is_meant && !trace_.is_of_error(arrived.packet)) {
        bytes += arrived.as.outermost().payload_bytes();
      }
    }
    return bytes >= packet.inner.payload_bytes();
  }

  /// Sends a packet: `asked` is the packet as the application sends it. If it goes to a service,
  /// the packet of the request, whose destination is a pod, leaves the place of translation.
  void send(const Sender& sender, const Packet& asked, const TraceRequest& request) {
    const node::NodeState& state = states_.nodes[sender.node];
    const auto& service = request.service;
    const std::string place =
        sender.is_pod ? pod_name(state, asked.inner.source) : state.member().name;
    const auto translate = [&](const std::string& where) {
      add(where, "translate",
          fmt::format("{} sends packets for {} port {} to one of the service's pods: {} port {}",
                      service->translator, service->address.to_string(), service->port,
                      request.packet.inner.destination.to_string(),
                      request.packet.destination_port));
    };
    const bool by_state = service && is_translated_by(state, *service);
    if (service && service->in_pod) translate(place);
    const Packet& leaving = service && service->in_pod ? request.packet : asked;
    std::vector<Packet> fragments;
    if (!leave_sender(sender, place, leaving, fragments)) return;
    const Bytes as_sent = reference::encode(leaving);
    if (sender.is_pod) show(state, as_sent, fragments);
    if (by_state) return carry(sender, as_sent, fragments, asked.inner.destination);
    if (service && !service->in_pod) translate(state.member().name);
    const Bytes bytes = service ? reference::encode(request.packet) : as_sent;
    carry(sender, bytes, fragments, request.packet.inner.destination);
  }

  /// Whether the node's state translates packets to Services.
  static bool is_translated_by(const node::NodeState& state, const ServiceFront& service) {
    return !service.in_pod && state.services != nullptr;
  }

  /// Models the sender's IP stack: records its decisions and fragments packets larger than its
  /// interface MTU. Returns false if the stack refuses the packet.
  bool leave_sender(const Sender& sender, const std::string& place, const Packet& packet,
                    std::vector<Packet>& fragments) {
    const node::NodeState& state = states_.nodes[sender.node];
    const IpFields& header = packet.inner;
    const node::LocalPod* pod = sender.is_pod ? state.find_pod(header.source) : nullptr;
    const std::string entry = pod == nullptr ? "" : pod_line(state, *pod);
    add(place, "send", describe(packet), entry);
    fragments = {packet};
    if (pod == nullptr || header.total_length <= pod->sending_mtu()) return true;
    const std::string fit = fmt::format("{} bytes do not fit the pod's MTU {}", header.total_length,
                                        pod->sending_mtu());
    if (header.dont_fragment) {
      add(place, "drop",
          fmt::format("{}: {}, and DF forbids to cut them", to_string(Drop::MtuExceeded), fit),
          entry, Drop::MtuExceeded);
      trace_.failure = {trace_.hops.size() - 1, Drop::MtuExceeded, sender.node, false, packet};
      return false;
    }
    add(place, "fragment", fit + ", so its kernel cuts them", entry);
    fragments.clear();
    forward::fragment(packet, pod->sending_mtu(),
                      [&](const Packet& fragment) { fragments.push_back(fragment); });
    return true;
  }

  /// Records the packet's bytes at the pod's interface.
  void show(const node::NodeState& state, const Bytes& bytes,
            const std::vector<Packet>& fragments) {
    for (const Packet& fragment : fragments) {
      trace_.legs.push_back({trace_.hops.size() - 1, root_,
                             fmt::format("{}/{}", state.member().name,
                                         state.pod_device(fragment.inner.source).view()),
                             false, fragment_bytes(bytes, fragment.inner)});
    }
  }

  static Bytes fragment_bytes(Bytes bytes, const IpFields& wanted) {
    byte_rewrite::PacketBuffer buffer;
    const auto part = byte_rewrite::fragment(bytes, wanted, buffer);
    return {part.begin(), part.end()};
  }

  void carry(const Sender& sender, const Bytes& bytes, const std::vector<Packet>& fragments,
             IpAddress destination) {
    std::vector<PacketTrace::InTransit> arriving;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
      std::uint32_t packet = root_;
      if (fragments.size() > 1) {
        packet = static_cast<std::uint32_t>(trace_.packets.size());
        trace_.packets.push_back({TracedPacket::Kind::Fragment,
                                  fmt::format("fragment {} of {}", i + 1, fragments.size()),
                                  root_});
      }
      IpFields header = fragments[i].inner;
      header.destination = destination;
      arriving.push_back({.node = sender.node,
                          .ingress = sender.is_pod ? Ingress::Pod : Ingress::Host,
                          .load = {packet, fragment_bytes(bytes, header)},
                          .crossing = {}});
    }
    packet_trace_.carry(std::move(arriving));
  }

  /// Traces the receiver's answer to the packet that it received.
  void answer(const TraceRequest& request, const Packet& asked) {
    const DeliveredPacket got = *std::ranges::find_if(
        trace_.arrived, [&](const DeliveredPacket& a) { return !trace_.is_of_error(a.packet); });
    const Packet reply = answer_to(got, request);
    begin(TracedPacket::Kind::Answer, "answer");
    const auto& service = request.service;
    if (service && !is_translated_by(states_.nodes[request.from_node], *service))
      packet_trace_.answer_as(*service, as_service(reply, asked));
    const IpAddress to = request.packet.inner.source;
    if (got.outside) {
      come_back(reply, got.place, got.node);
    } else {
      send({got.node, states_.nodes[got.node].find_pod(reply.inner.source) != nullptr}, reply,
           {.packet = reply, .service = {}});
    }
    trace_.answered = all_of(reply, to);
  }

  /// An answer of the request's size, limited by its sender's MTU.
  Packet answer_to(const DeliveredPacket& got, const TraceRequest& request) const {
    const Packet& packet = got.as;
    const IpAddress from = packet.inner.destination;
    const node::LocalPod* pod = states_.nodes[got.node].find_pod(from);
    std::uint32_t bytes = request.packet.inner.total_length;
    if (pod != nullptr && !got.outside) bytes = std::min(bytes, pod->sending_mtu());
    return answering(packet)
        .length(bytes)
        .dont_fragment(request.packet.inner.dont_fragment)
        .build();
  }

  static Packet as_service(Packet reply, const Packet& asked) {
    reply.inner.source = asked.inner.destination;
    reply.source_port = asked.destination_port;
    return reply;
  }

  void come_back(const Packet& reply, const std::string& place, std::uint32_t node) {
    add(place, "send", describe(reply));
    add("vpc", "deliver",
        fmt::format("{} has asked: {} gets the answer", reply.inner.destination.to_string(),
                    states_.fabric.instances[node].name),
        node::instance_line(states_.fabric, states_.fabric.instances[node]));
    packet_trace_.carry({{.node = node,
                          .ingress = Ingress::Uplink,
                          .load = {root_, reference::encode(reply)},
                          .crossing = {}}});
  }

  const compile::Compiled& states_;
  Trace trace_;
  PacketTrace packet_trace_;
  std::uint32_t root_ = 0;
  std::size_t first_arrival_ = 0;
};

}  // namespace

bool is_known_outside(const node::FabricState& fabric, IpAddress source, std::uint32_t from) {
  const node::Instance& instance = fabric.instances[from];
  if (std::ranges::find(instance.addresses, source) != instance.addresses.end()) return true;
  return !source.is_ipv4() && is_global(source) && leads_to_instance(fabric, source, from);
}

bool leads_to_instance(const node::FabricState& fabric, IpAddress address, std::uint32_t owner) {
  const auto* entry = route_of(fabric, owner, address);
  if (entry == nullptr) return false;
  const auto& [prefix, route] = *entry;
  return route.target == node::FabricTarget::Instance ? route.instance == owner
                                                      : fabric.instances[owner].owns(address);
}

bool reaches_nameserver(const compile::Compiled& states, const forward::Packet& packet,
                        std::uint32_t from) {
  const forward::IpFields& header = packet.outermost();
  return std::ranges::find(states.nameservers, header.destination) != states.nameservers.end() &&
         leads_to_instance(states.fabric, header.source, from);
}

bool leaves_vpc(const node::FabricState& fabric, const forward::Packet& packet,
                std::uint32_t from) {
  const forward::IpFields& header = packet.outermost();
  const auto* entry = route_of(fabric, from, header.destination);
  return entry != nullptr && entry->second.target == node::FabricTarget::Internet &&
         is_global(header.destination) && is_known_outside(fabric, header.source, from);
}

bool Trace::is_of_error(std::uint32_t packet) const {
  std::optional<std::uint32_t> at = packet;
  for (; at; at = packets[*at].of)
    if (packets[*at].kind == TracedPacket::Kind::IcmpError) return true;
  return false;
}

Trace trace(const compile::Compiled& states, const TraceRequest& request) {
  assert(request.from_node < states.nodes.size());
  assert(states.fabric.instances.size() >= states.nodes.size());
  return Traveller(states).run(request);
}

std::string pod_name(const node::NodeState& state, IpAddress address) {
  std::size_t number = 0;
  for (const node::LocalPod& pod : state.pods) {
    if (pod.address == address) return fmt::format("{}/pod-{}", state.member().name, number);
    if (pod.address.family() == address.family()) ++number;
  }
  return address.to_string();
}

Walk walk(const compile::Compiled& states, std::uint32_t from_node, const forward::Packet& packet) {
  assert(from_node < states.nodes.size());
  return forward::walk(states.nodes, states.fabric, from_node, packet);
}

std::optional<BlackHole> find_black_hole(const compile::Compiled& states, std::uint32_t from_node,
                                         const forward::Packet& packet) {
  // The first ICMP error informs the tunnel endpoint, the second one the pod.
  constexpr int kAttempts = 3;
  forward::WalkSender sender(states.nodes, states.fabric);
  Walk last;
  for (int i = 0; i < kAttempts; ++i) {
    last = sender.send(from_node, packet);
    if (last.delivered() || sender.got_packet_too_big()) return std::nullopt;
  }
  if (facts(*last.drop).gate != Gate::Mtu) return std::nullopt;
  BlackHole found{.drop = *last.drop, .entries = {}};
  for (const forward::Step& step : last.steps) {
    const bool made_it = step.drop == last.drop || step.decision == "answer";
    if (made_it && !step.state_entry.empty()) found.entries.push_back(step.state_entry);
  }
  std::ranges::reverse(
      found.entries);  // First the cause of the drop, then the cause of the missing ICMP error.
  return found;
}

}  // namespace overlane::path
