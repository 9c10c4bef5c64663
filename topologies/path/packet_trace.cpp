#include "topologies/path/packet_trace.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/read_packet.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/ethernet.h"
#include "topologies/path/trace.h"

namespace overlane::path {

namespace {

using forward::Egress;
using forward::Emission;
using forward::Ingress;

/// Longer than any reassembly timeout of the nodes.
constexpr Picos kLongWait = seconds(61);

/// Collects the bytes that leave a node.
struct Sink {
  std::vector<Bytes>& to;
  void sent(const byte_rewrite::Sent& sent) {
    to.emplace_back(sent.bytes.begin(), sent.bytes.end());
  }
};

/// `bytes` with the IP header changed to `wanted`, for example with another hop limit, or cut to a
/// fragment.
Bytes with_header(Bytes bytes, const forward::IpFields& wanted) {
  byte_rewrite::PacketBuffer fragment;
  const auto sent = byte_rewrite::fragment(bytes, wanted, fragment);
  return {sent.begin(), sent.end()};
}

/// Sets the destination MAC address of a frame that arrives for a tunnel device in metadata mode,
/// as an eBPF program does there (cilium bpf/bpf_overlay.c), because no sender knows it. Does not
/// change other packets.
void readdress(const node::NodeState& state, std::span<std::uint8_t> bytes) {
  const auto read = forward::read_packet(state, bytes);
  if (!read || read->outermost().protocol != forward::kUdp) return;
  const forward::IpFields& outer = read->outermost();
  if (outer.fragment_offset != 0 || !node::is_local(state, outer.destination)) return;
  const std::uint16_t port =
      read->is_encapsulated() ? read->outer_destination_port : read->destination_port;
  const Encapsulation encapsulation = node::tunnel_at(state, port);
  const node::Device* device =
      node::receiving_device(state, {encapsulation, outer.source, read->vni, port});
  if (device == nullptr || !device->external) return;
  constexpr std::size_t kUdpChecksum = 6;
  const std::size_t udp = outer.header_bytes();
  const std::size_t frame = udp + overhead(encapsulation, Family::Ipv4) -
                            forward::kIpv4HeaderBytes - wire::kEthernetBytes;
  if (bytes.size() < frame + wire::kEthernetBytes) return;
  std::uint16_t checksum = load_be16(&bytes[udp + kUdpChecksum]);
  for (std::size_t i = 0; i < device->mac.bytes.size(); i += 2) {
    const auto was = static_cast<std::uint16_t>(load_be16(&bytes[frame + i]));
    const auto is = static_cast<std::uint16_t>(load_be16(&device->mac.bytes[i]));
    store_be16(&bytes[frame + i], is);
    if (checksum != 0) checksum = updated_checksum(checksum, was, is);
  }
  store_be16(&bytes[udp + kUdpChecksum], checksum);
}

/// Converts a step of the decision to a hop of `packet`.
Hop hop_of(forward::Step step, std::uint32_t packet) {
  return {packet,
          std::move(step.place),
          std::move(step.decision),
          std::move(step.because),
          std::move(step.state_entry),
          step.drop};
}

/// A device's name in a capture: "node-1/eth0".
std::string interface_of(const node::NodeState& state, node::DeviceName device) {
  return fmt::format("{}/{}", state.member().name, device.view());
}

}  // namespace

using forward::Packet;

void Tracer::turn() {
  for (forward::Step& step : steps_)
    record_.hops.push_back(hop_of(std::move(step), at_hand_));
  steps_.clear();
}

void Tracer::add_leg(const node::Device& device, bool leaves, std::span<const std::uint8_t> bytes) {
  record_.legs.push_back({.hop = record_.hops.size() - 1,
                          .packet = at_hand_,
                          .interface = interface_of(state_, device.name),
                          .leaves = leaves,
                          .bytes = {bytes.begin(), bytes.end()}});
}

void Tracer::admitted(const Packet& packet, const node::RouteMatch& reverse) {
  teller_.admitted(packet, reverse);
  turn();
}

void Tracer::routed(const Packet& packet, const node::RouteMatch& match) {
  teller_.routed(packet, match);
  turn();
}

void Tracer::fragmented(const Packet& packet, std::uint32_t mtu, const node::RouteMatch& match,
                        const node::Device* device) {
  teller_.fragmented(packet, mtu, match, device);
  turn();
}

void Tracer::refragmented(const Packet& packet, std::size_t fragments) {
  teller_.refragmented(packet, fragments);
  turn();
}

std::optional<Drop> Tracer::encapsulated(const Packet& packet, const forward::Wrapping& wrapping) {
  teller_.encapsulated(packet, wrapping);
  turn();
  if (const auto refused = rewriter_.encapsulated(packet, wrapping)) return refused;
  // WireGuard adds padding and a tag after the packet.
  const std::size_t tail = packet.encapsulation == Encapsulation::Wireguard
                               ? packet.padding + wire::kWireguardTagBytes
                               : 0;
  const auto wrapped = rewriter_.bytes_of(packet);
  add_leg(wrapping.device, true,
          wrapped.first(wrapped.size() - tail).last(packet.inner.total_length));
  return std::nullopt;
}

void Tracer::decapsulated(const Packet& packet, const node::Device& device,
                          const node::TunnelGuard* guard) {
  teller_.decapsulated(packet, device, guard);
  turn();
  rewriter_.decapsulated(packet, device, guard);
  if (rewriter_.fault()) return;
  Packet bare = packet;
  bare.encapsulation = Encapsulation::None;
  add_leg(device, false, rewriter_.bytes_of(bare).first(packet.inner.total_length));
}

void Tracer::held(const Packet& packet, const node::ReassemblyKey& key) {
  teller_.held(packet, key);
  turn();
  rewriter_.held(packet, key);
}

void Tracer::given_up(const node::ReassemblyKey& key) {
  rewriter_.given_up(key);
}

void Tracer::reassembled(Packet& packet, const node::ReassemblyKey& key) {
  const TracedPacket& fragment = record_.packets[packet_];
  if (fragment.kind == TracedPacket::Kind::Fragment) packet_ = at_hand_ = *fragment.of;
  teller_.reassembled(packet, key);
  turn();
  rewriter_.reassembled(packet, key);
}

void Tracer::translated(const Packet& before, const Packet& after,
                        const forward::Translation& translation) {
  teller_.translated(before, after, translation);
  turn();
  rewriter_.translated(before, after, translation);
}

void Tracer::answered(const Packet& error, const Packet& cause) {
  error_ = static_cast<std::uint32_t>(record_.packets.size());
  record_.packets.push_back({TracedPacket::Kind::IcmpError, "ICMP error", packet_});
  at_hand_ = *error_;
  teller_.answered(error, cause);
  turn();
  rewriter_.answered(error, cause);
}

void Tracer::answer_ended() {
  at_hand_ = packet_;
  teller_.answer_ended();
  rewriter_.answer_ended();
}

void Tracer::held_back(IpAddress destination) {
  teller_.held_back(destination);
  turn();
}

void Tracer::emitted(forward::Egress egress, const Packet& packet, IpAddress next_hop) {
  teller_.emitted(egress, packet, next_hop);
  turn();
  emissions_.push_back(record_.hops.size() - 1);
  rewriter_.emitted(egress, packet, next_hop);
}

void Tracer::dropped(Drop reason, const Packet& packet, const forward::DropCause& cause) {
  teller_.dropped(reason, packet, cause);
  turn();
  if (at_hand_ == packet_ && !lost_) lost_ = Lost{reason, record_.hops.size() - 1, packet};
}

void PacketTrace::carry(std::vector<InTransit> packets) {
  walker_.push(std::move(packets));
  walker_.run(*this, now_);
  give_up();
  walker_.run(*this, now_);
}

void PacketTrace::answer_as(const ServiceFront& service, const Packet& asked) {
  service_ = service;
  asked_ = asked;
}

/// Whether the packet entered this node before, perhaps with another hop limit: it loops. Remembers
/// the packet.
bool PacketTrace::was_here(const InTransit& arriving, const Packet& packet) {
  const forward::IpFields& header = packet.outermost();
  return !seen_
              .insert({arriving.node, arriving.ingress, arriving.load.packet, header.source,
                       header.destination, header.identification, header.fragment_offset,
                       header.total_length, packet.is_encapsulated()})
              .second;
}

void PacketTrace::lose(std::uint32_t packet, Failure failure) {
  if (!trace_.failure && !trace_.is_of_error(packet)) trace_.failure = std::move(failure);
}

void PacketTrace::enter(InTransit arriving) {
  auto& [number, bytes, in_circles] = arriving.load;
  const node::NodeState& state = states_.nodes[arriving.node];
  const node::Device* uplink = state.uplink();
  if (arriving.ingress == Ingress::Uplink && uplink != nullptr && !in_circles) {
    trace_.legs.push_back(
        {trace_.hops.size() - 1, number, interface_of(state, uplink->name), false, bytes});
  }
  if (arriving.ingress == Ingress::Uplink) readdress(state, bytes);
  const auto read = forward::read_packet(state, bytes);
  if (!read) {
    trace_.hops.push_back({number, state.member().name, "drop",
                           std::string(facts(read.error()).meaning), "", read.error()});
    return lose(number, {trace_.hops.size() - 1, read.error(), arriving.node, false, {}});
  }
  if (!in_circles && was_here(arriving, *read)) {
    in_circles = true;
    trace_.hops.push_back({number, state.member().name, "loop",
                           "the packet was here before: it goes round until its hop limit ends", "",
                           std::nullopt});
  }
  untold_.clear();
  unseen_.clear();
  sent_.clear();
  outcome_.clear();
  Sink sink{sent_};
  byte_rewrite::ByteRewriter rewriter(state, buffers_, held_[arriving.node],
                                      byte_rewrite::Receiver(sink));
  rewriter.begin(std::span(bytes).first(read->outermost().total_length));
  const bool told = !in_circles;
  Tracer tracer(state, rewriter,
                {trace_.packets, told ? trace_.hops : untold_, told ? trace_.legs : unseen_},
                number);
  forward::NodeDecision(forward::StateLookup(state), tracer, runtimes_[arriving.node], now_,
                        outcome_)
      .run(*read, arriving.ingress);
  after(arriving, tracer, told);
}

/// Records a node's decision and sends the emitted packets on.
void PacketTrace::after(const InTransit& arriving, const Tracer& tracer, bool told) {
  std::optional<Tracer::Lost> lost = tracer.lost();
  if (!told) {
    for (Hop& hop : untold_) {
      if (!hop.drop && hop.packet != tracer.error()) continue;
      trace_.hops.push_back(std::move(hop));
      if (lost && hop.drop == lost->drop) lost->hop = trace_.hops.size() - 1;
    }
  }
  if (lost) {
    lose(tracer.packet(), {lost->hop, lost->drop, arriving.node, false, std::move(lost->packet)});
  }
  const auto fragments = std::ranges::count(outcome_.emissions, false, &Emission::is_reply);
  std::size_t fragment = 0;
  std::vector<std::pair<std::size_t, InTransit>> leaving;
  for (std::size_t i = 0; i < std::min(sent_.size(), outcome_.emissions.size()); ++i) {
    InTransit next{.node = arriving.node,
                   .load = {tracer.packet(), std::move(sent_[i]), arriving.load.in_circles},
                   .crossing = {}};
    if (outcome_.emissions[i].is_reply) {
      next.load.packet = tracer.error().value_or(tracer.packet());
      next.load.in_circles = false;
    } else if (fragments > 1) {
      next.load.packet = static_cast<std::uint32_t>(trace_.packets.size());
      trace_.packets.push_back({TracedPacket::Kind::Fragment,
                                fmt::format("fragment {} of {}", ++fragment, fragments),
                                tracer.packet()});
    }
    leaving.emplace_back(i, std::move(next));
  }
  std::vector<InTransit> crossing;
  for (auto& [i, next] : leaving) {
    const std::size_t hop = told ? tracer.emissions()[i] : trace_.hops.size() - 1;
    if (outcome_.emissions[i].egress != Egress::Uplink) {
      end(outcome_.emissions[i], next, hop);
    } else {
      leave(outcome_.emissions[i], next, hop);
      crossing.push_back(std::move(next));
    }
  }
  walker_.push(std::move(crossing));
}

void PacketTrace::leave(const Emission& emission, InTransit& next, std::size_t hop) {
  const node::NodeState& state = states_.nodes[next.node];
  const node::Device* uplink = state.uplink();
  if (!next.load.in_circles && uplink != nullptr) {
    trace_.legs.push_back(
        {hop, next.load.packet, interface_of(state, uplink->name), true, next.load.bytes});
  }
  next.crossing = emission;
}

/// Records the arrival on a node. Restores the service address of an answer.
void PacketTrace::end(const Emission& emission, InTransit& here, std::size_t hop) {
  const std::uint32_t number = here.load.packet;
  Bytes& bytes = here.load.bytes;
  const node::NodeState& state = states_.nodes[here.node];
  Packet packet = emission.packet;
  const IpAddress destination = packet.outermost().destination;
  const bool to_pod = emission.egress == Egress::Pod;
  const std::string place = to_pod ? pod_name(state, destination) : state.member().name;
  if (service_ && !trace_.is_of_error(number)) {
    trace_.hops.push_back(
        {number, service_->in_pod ? place : state.member().name, "translate",
         fmt::format("{} gives the answer the service's address: {} port {} becomes {} port {}",
                     service_->translator, packet.inner.source.to_string(), packet.source_port,
                     service_->address.to_string(), service_->port),
         "", std::nullopt});
    packet.inner.source = service_->address;
    packet.source_port = service_->port;
    if (!service_->in_pod) bytes = with_header(reference::encode(asked_), packet.inner);
  }
  if (to_pod) {
    trace_.legs.push_back(
        {hop, number, interface_of(state, state.pod_device(destination)), true, std::move(bytes)});
  }
  trace_.arrived.push_back({number, place, here.node, false, std::move(packet)});
}

/// Records steps of the VPC as hops. Steps about its ICMP error belong to the packet `error`.
void PacketTrace::tell(std::vector<forward::Step>& steps, const Load& load, std::uint32_t error) {
  for (forward::Step& step : steps) {
    if (load.in_circles && !step.drop) continue;
    const std::uint32_t packet = step.decision == "answer" ? error : load.packet;
    trace_.hops.push_back(hop_of(std::move(step), packet));
  }
}

std::optional<PacketTrace::Load> PacketTrace::crossed(InTransit& next,
                                                      forward::FabricOutcome& fabric,
                                                      std::vector<forward::Step>& steps) {
  const std::uint32_t from = next.node;
  const auto error = static_cast<std::uint32_t>(trace_.packets.size());
  const bool has_no_owner = fabric.drop == Drop::FabricNoRoute;
  const bool reaches_dns = has_no_owner && reaches_nameserver(states_, fabric.packet, from);
  if (reaches_dns || (has_no_owner && leaves_vpc(states_.fabric, fabric.packet, from))) {
    steps.back() = {
        "vpc", reaches_dns ? "deliver" : "leave",
        fmt::format(fmt::runtime(reaches_dns ? "{} is the provider's nameserver, and its answer to "
                                               "{} is led to {}"
                                             : "{} is outside, and {} is an address of {}"),
                    fabric.packet.inner.destination.to_string(),
                    fabric.packet.inner.source.to_string(), states_.fabric.instances[from].name),
        steps.back().state_entry, std::nullopt};
    tell(steps, next.load, error);
    trace_.arrived.push_back(
        {next.load.packet, reaches_dns ? "nameserver" : "outside", from, true, fabric.packet});
    return std::nullopt;
  }
  std::optional<Load> reply;
  if (fabric.reply) {
    trace_.packets.push_back({TracedPacket::Kind::IcmpError, "ICMP error", next.load.packet});
    byte_rewrite::PacketBuffer quote;
    byte_rewrite::write_error(*fabric.reply, next.load.bytes, quote);
    reply = Load{error, {quote.bytes().begin(), quote.bytes().end()}};
  }
  tell(steps, next.load, error);
  if (fabric.drop) {
    lose(next.load.packet,
         {trace_.hops.size() - 1, *fabric.drop, from, true, std::move(fabric.packet)});
  } else if (fabric.hops != 0) {
    next.load.bytes = with_header(std::move(next.load.bytes), fabric.packet.outermost());
  }
  return reply;
}

/// Drops incomplete fragments and follows the ICMP errors to their senders.
void PacketTrace::give_up() {
  const auto waits = [](const node::NodeRuntime& runtime) {
    return runtime.reassembly.next_expiry().has_value();
  };
  if (std::ranges::none_of(runtimes_, waits)) return;
  now_ = now_ + kLongWait;
  for (std::uint32_t node = 0; node < states_.nodes.size(); ++node) {
    const node::NodeState& state = states_.nodes[node];
    for (const auto& expired : runtimes_[node].reassembly.expire(now_)) {
      const std::uint32_t packet = 0;
      trace_.hops.push_back(
          {packet, state.member().name, "drop",
           fmt::format("{}: {} from {}", to_string(expired.drop), facts(expired.drop).meaning,
                       expired.key.source.to_string()),
           "", expired.drop});
      lose(packet, {trace_.hops.size() - 1, expired.drop, node, false, {}});
      sent_.clear();
      outcome_.clear();
      Sink sink{sent_};
      byte_rewrite::ByteRewriter rewriter(state, buffers_, held_[node],
                                          byte_rewrite::Receiver(sink));
      const auto first = held_[node].first(expired.key);
      Tracer tracer(state, rewriter, {trace_.packets, trace_.hops, trace_.legs}, packet);
      if (expired.drop == Drop::ReassemblyTimeout && !first.empty()) {
        rewriter.begin_lost(first);
        forward::NodeDecision(forward::StateLookup(state), tracer, runtimes_[node], now_, outcome_)
            .report_timeout(expired);
        after({.node = node, .load = {.packet = packet, .bytes = {}}, .crossing = {}}, tracer,
              true);
      }
      held_[node].forget(expired.key);
    }
  }
}

}  // namespace overlane::path
