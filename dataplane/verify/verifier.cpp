#include "dataplane/verify/verifier.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace overlane::verify {
namespace {

using dpdk::SentPacket;

/// In the order of ports, which is all that wires of their own show.
std::vector<SentPacket> on_wires(const reference::ByteOutcome& outcome) {
  std::vector<SentPacket> sent;
  for (const auto& one : outcome.sent)
    sent.push_back({one.egress, one.next_hop, one.bytes});
  std::ranges::stable_sort(sent, {}, &SentPacket::egress);
  return sent;
}

/// The difference between a sent packet and the expected one. Empty if they are equal.
std::string difference(const SentPacket& sent, const SentPacket& expected) {
  if (sent == expected) return "";
  if (to_string(sent) != to_string(expected)) {
    return fmt::format("{} instead of {}", to_string(sent), to_string(expected));
  }
  if (sent.packet.size() != expected.packet.size()) {
    return fmt::format("{} bytes instead of {}", sent.packet.size(), expected.packet.size());
  }
  const auto [ours, theirs] = std::ranges::mismatch(sent.packet, expected.packet);
  return fmt::format("byte {} is 0x{:02x} instead of 0x{:02x}", ours - sent.packet.begin(), *ours,
                     *theirs);
}

std::string difference(const std::vector<SentPacket>& sent,
                       const std::vector<SentPacket>& expected) {
  for (std::size_t i = 0; i < std::min(sent.size(), expected.size()); ++i) {
    const std::string one = difference(sent[i], expected[i]);
    if (!one.empty()) return fmt::format("packet {} that was sent: {}", i + 1, one);
  }
  if (sent.size() == expected.size()) return "";
  return fmt::format("{} packets sent instead of {}", sent.size(), expected.size());
}

/// Compares the drops counted since `before` with the expected ones. Empty if they are equal.
std::string difference(const DropCounts& counted, const DropCounts& before,
                       const DropCounts& expected) {
  for (const DropFacts& one : kDrops) {
    const std::int64_t count = counted[one.drop] - before[one.drop];
    if (count == expected[one.drop]) continue;
    return fmt::format("{} packets counted as {} instead of {}", count, one.name,
                       expected[one.drop]);
  }
  return "";
}

/// Compares the learned state of a node. Adjacencies do not remember connections without effect, so
/// connections are not compared: their differences show in the sent packets.
std::string difference(const node::NodeRuntime& ours, const node::NodeRuntime& expected) {
  if (ours.identification != expected.identification) return "other identifications are drawn";
  if (ours.path_mtus != expected.path_mtus) return "other path MTUs are known";
  if (ours.reassembly != expected.reassembly) return "other fragments are held";
  if (ours.icmp_limit != expected.icmp_limit) return "other ICMP errors were sent";
  return "";
}

}  // namespace

std::string to_string(const SentPacket& packet) {
  switch (packet.egress) {
    case forward::Egress::Pod:
      return "to pod " + packet.next_hop.to_string();
    case forward::Egress::Uplink:
      return "to the uplink via " + packet.next_hop.to_string();
    case forward::Egress::Host:
      return "to the node itself";
  }
  return "";
}

Parsed<Verifier> Verifier::make(std::uint32_t mtu) {
  auto node = dpdk::LoopbackNode::make(mtu);
  if (!node) return fail(node.error());
  return Verifier(std::move(*node));
}

Comparison Verifier::change(std::shared_ptr<const dpdk::Generation> generation, Picos now) {
  state_ = generation->compiled.state;
  node::forget_lost_devices(*reference_, *state_);
  node_->replace(std::move(generation), now);
  return pass_time(now);
}

void Verifier::give_up(Picos now, reference::ByteOutcome& expected) {
  for (const auto& lost : reference_->reassembly.expire(now)) {
    drops_[lost.drop] += lost.fragments;
    std::ranges::move(reference::time_out(*state_, *reference_, fragments_, lost, now).sent,
                      std::back_inserter(expected.sent));
  }
}

Comparison Verifier::pass_time(Picos now) {
  reference::ByteOutcome expected;
  give_up(now, expected);
  return compare(node_->pass_time(now), std::move(expected));
}

Comparison Verifier::arrive(std::span<const std::uint8_t> packet, forward::Ingress ingress,
                            Picos now) {
  Comparison waited = pass_time(now);
  Comparison comparison = arrive_now(packet, ingress, now);
  // What time alone made the node send comes first.
  std::ranges::move(comparison.sent, std::back_inserter(waited.sent));
  comparison.sent = std::move(waited.sent);
  std::ranges::move(comparison.expected.sent, std::back_inserter(waited.expected.sent));
  comparison.expected.sent = std::move(waited.expected.sent);
  if (comparison.difference.empty() && !waited.difference.empty()) {
    comparison.difference = "before it: " + waited.difference;
  }
  return comparison;
}

Comparison Verifier::arrive_now(std::span<const std::uint8_t> packet, forward::Ingress ingress,
                                Picos now) {
  const dpdk::ForwardCounters before = counters();
  const auto sent = node_->arrive(packet, ingress, now);
  const bool ahead = counters().ahead != before.ahead;
  if (!ahead && counters().slow.full == before.slow.full) {
    Comparison comparison = compare(sent, {});
    comparison.on_link_only = true;
    return comparison;
  }
  auto expected = reference::forward(*state_, *reference_, fragments_,
                                     {packet.begin(), packet.end()}, ingress, now);
  if (expected.drop) ++drops_[*expected.drop];
  give_up(now, expected);
  Comparison comparison = compare(sent, std::move(expected));
  comparison.ahead = ahead;
  return comparison;
}

Comparison Verifier::compare(const Parsed<std::vector<SentPacket>>& sent,
                             reference::ByteOutcome expected) {
  Comparison comparison{.expected = std::move(expected)};
  const std::string within = difference_within();
  if (!sent) {
    comparison.difference = sent.error();
    return comparison;
  }
  comparison.sent = *sent;
  comparison.difference = difference(*sent, on_wires(comparison.expected));
  if (comparison.difference.empty()) comparison.difference = within;
  return comparison;
}

std::string Verifier::difference_within() {
  const DropCounts counted = counters().slow.drops;
  std::string found = difference(counted, counted_, drops_);
  counted_ = counted;
  drops_ = {};
  if (!found.empty() || !learned_same_) return found;
  found = difference(node_->forwarder().runtime(), *reference_);
  learned_same_ = found.empty();
  return found;
}

}  // namespace overlane::verify
