#include "topologies/path/tracer.h"

#include <utility>

#include <fmt/format.h>

namespace overlane::path {

using forward::Packet;

Hop hop_of(forward::Step step, std::uint32_t packet) {
  return {packet,
          std::move(step.place),
          std::move(step.decision),
          std::move(step.because),
          std::move(step.state_entry),
          step.drop};
}

std::string interface_of(const node::NodeState& state, node::DeviceName device) {
  return fmt::format("{}/{}", state.member().name, device.view());
}

void Tracer::turn() {
  for (forward::Step& step : steps_)
    page_.hops.push_back(hop_of(std::move(step), at_hand_));
  steps_.clear();
}

void Tracer::add_leg(const node::Device& device, bool leaves, std::span<const std::uint8_t> bytes) {
  page_.legs.push_back({.hop = page_.hops.size() - 1,
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

void Tracer::taken_apart(const Packet& packet, std::size_t fragments) {
  teller_.taken_apart(packet, fragments);
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
  const Traced& fragment = page_.packets[packet_];
  if (fragment.kind == Traced::Kind::Fragment) packet_ = at_hand_ = *fragment.of;
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
  error_ = static_cast<std::uint32_t>(page_.packets.size());
  page_.packets.push_back({Traced::Kind::IcmpError, "ICMP error", packet_});
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
  emissions_.push_back(page_.hops.size() - 1);
  rewriter_.emitted(egress, packet, next_hop);
}

void Tracer::dropped(Drop reason, const Packet& packet, const forward::DropCause& cause) {
  teller_.dropped(reason, packet, cause);
  turn();
  if (at_hand_ == packet_ && !lost_) lost_ = Lost{reason, page_.hops.size() - 1, packet};
}

}  // namespace overlane::path
