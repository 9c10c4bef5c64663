#include "dataplane/conformance/testing/rebuilt.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::conformance::testing {

std::string text(const reference::ByteOutcome& outcome) {
  std::string text;
  for (const auto& sent : outcome.sent) {
    text += fmt::format("egress {} via {}{}: {}\n", static_cast<int>(sent.egress),
                        sent.next_hop.to_string(), sent.is_reply ? " reply" : "", hex(sent.bytes));
  }
  if (outcome.held) text += "held\n";
  if (outcome.drop) text += fmt::format("{}\n", to_string(*outcome.drop));
  return text;
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes)
    text += fmt::format("{:02x} ", byte);
  return text;
}

namespace {

constexpr MacAddress kMac{{0x02, 0, 0, 0, 0, 0x01}};

MacAddress mac_of(const adjacency::NextHop& hop) {
  MacAddress mac{{0x02, static_cast<std::uint8_t>(hop.egress)}};
  store_be32(mac.bytes.data() + 2, static_cast<std::uint32_t>(hop.address.low));
  return mac;
}

/// A frame in a buffer with the headroom that adjacencies need.
struct Buffered {
  Buffered(const Bytes& packet, forward::Egress from)
      : bytes(adjacency::kHeadroom + wire::kEthernetBytes + packet.size()) {
    std::uint8_t* at = bytes.data() + adjacency::kHeadroom;
    const bool is_ipv6 = !packet.empty() && packet[0] >> 4 == 6;
    const auto source = neighbour::source_of(packet).value_or(IpAddress());
    wire::write(
        wire::EthernetHeader{.destination = kMac,
                             .source = mac_of({from, source}),
                             .ether_type = is_ipv6 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4},
        {at, wire::kEthernetBytes});
    std::ranges::copy(packet, at + wire::kEthernetBytes);
    frame = {at, static_cast<std::uint32_t>(wire::kEthernetBytes + packet.size())};
  }

  Bytes bytes;
  adjacency::Frame frame;
};

}  // namespace

Ahead::Ahead(const node::NodeState& state)
    : compiled(adjacency::compile(std::make_shared<const node::NodeState>(state))),
      links(std::make_unique<adjacency::LinkHeaders>(compiled.next_hops.size(),
                                                     compiled.has_neighbours)),
      classes(compiled.classes),
      ipv6(compiled.classes) {
  for (std::size_t i = 0; i < compiled.next_hops.size(); ++i)
    links->set(i, mac_of(compiled.next_hops[i]), kMac);
}

bool BothPaths::take(const node::NodeState& state, const Bytes& bytes, forward::Ingress ingress,
                     Rebuilt& rebuilt) {
  if (way_ == Way::Full || ingress == forward::Ingress::Host) return false;
  if (!ahead_ || *ahead_->compiled.state != state) ahead_.emplace(state);
  const adjacency::Burst burst(ahead_->compiled, *ahead_->links,
                               SlowFinder{&ahead_->classes, &ahead_->ipv6}, *exceptions_,
                               runtime_.identification);
  const bool is_pod = ingress == forward::Ingress::Pod;
  const auto ipv6 = wire::parse_ipv6(bytes);
  const IpAddress neighbour = ipv6 ? ipv6->destination : IpAddress();
  ahead_->links->neighbours().set(neighbour, mac_of({forward::Egress::Uplink, neighbour}), kMac);
  Buffered buffered(bytes, is_pod ? forward::Egress::Pod : forward::Egress::Uplink);
  const Bytes before = buffered.bytes;
  const adjacency::Adjacency* taken = nullptr;
  const auto leave = [&](std::size_t, const adjacency::Frame& frame,
                         const adjacency::Adjacency& adjacency) {
    buffered.frame = frame;
    taken = &adjacency;
  };
  const auto positions = is_pod ? burst.from_pods({&buffered.frame, 1}, kMac, leave)
                                : burst.from_uplink({&buffered.frame, 1}, kMac, leave);
  const bool to_pods = taken != nullptr && taken->egress == forward::Egress::Pod;
  EXPECT_EQ(positions.to_pods, to_pods ? 1u : 0u);
  EXPECT_EQ(positions.all(), taken == nullptr ? 0u : 1u);
  if (taken == nullptr) {
    EXPECT_EQ(buffered.bytes, before) << "a packet that is left is changed";
    return false;
  }
  const std::uint8_t* at = buffered.frame.at;
  const adjacency::NextHop hop = taken->next_hop == adjacency::kNeighbour
                                     ? adjacency::NextHop{taken->egress, neighbour}
                                     : ahead_->compiled.next_hops[taken->next_hop];
  rebuilt.ahead = true;
  rebuilt.outcome.sent.push_back({taken->egress,
                                  Bytes(at + wire::kEthernetBytes, at + buffered.frame.bytes),
                                  hop.address, false});
  EXPECT_TRUE(adjacency::MacWord(mac_of(hop)).is_at(at));
  EXPECT_TRUE(adjacency::MacWord(kMac).is_at(at + kMac.bytes.size()));
  const bool is_ipv6 = at[wire::kEthernetBytes] >> 4 == 6;
  EXPECT_EQ(load_be16(at + 12), is_ipv6 ? wire::kEtherTypeIpv6 : wire::kEtherTypeIpv4);
  return true;
}

void BothPaths::compare(const Rebuilt& rebuilt, const reference::ByteOutcome& expected) const {
  EXPECT_EQ(text(rebuilt.outcome), text(expected));
  if (way_ == Way::Full) {
    EXPECT_EQ(runtime_, reference_);
  } else {
    // Connections are not compared: adjacencies create no entries for connections without NAT.
    EXPECT_EQ(runtime_.identification, reference_.identification);
    EXPECT_EQ(runtime_.path_mtus, reference_.path_mtus);
    EXPECT_EQ(runtime_.reassembly, reference_.reassembly);
    EXPECT_EQ(runtime_.icmp_limit, reference_.icmp_limit);
  }
  EXPECT_EQ(path_.held(), runtime_.reassembly.fragments());
}

Rebuilt BothPaths::time_out(const node::NodeState& state, Picos now) {
  Rebuilt rebuilt;
  path_.time_out(forward::StateLookup(state), runtime_, now, rebuilt);
  reference::ByteOutcome expected;
  const auto lost = reference_.reassembly.expire(now);
  EXPECT_EQ(rebuilt.lost_fragments, lost);
  for (const auto& packet : lost) {
    std::ranges::move(reference::time_out(state, reference_, fragments_, packet, now).sent,
                      std::back_inserter(expected.sent));
  }
  compare(rebuilt, expected);
  return rebuilt;
}

bool BothPaths::arrive_ahead(const node::NodeState& state, const Bytes& bytes,
                             forward::Ingress ingress, Picos now) {
  time_out(state, now);
  Rebuilt rebuilt;
  if (!take(state, bytes, ingress, rebuilt)) return false;
  compare(rebuilt, reference::forward(state, reference_, fragments_, bytes, ingress, now));
  return true;
}

Rebuilt BothPaths::arrive(const node::NodeState& state, const Bytes& bytes,
                          forward::Ingress ingress, Picos now) {
  time_out(state, now);
  Rebuilt rebuilt;
  byte_rewrite::Fate fate;
  if (!take(state, bytes, ingress, rebuilt)) {
    runtime_.connections.checkpoint();
    fate = path_.run(forward::StateLookup(state), runtime_, bytes, ingress, now, rebuilt);
    exceptions_->learn(runtime_);
    rebuilt.outcome.drop = fate.drop;
  }
  const auto expected = reference::forward(state, reference_, fragments_, bytes, ingress, now);
  if (fate.held) rebuilt.outcome.held = expected.held;
  EXPECT_EQ(fate.held, expected.held.has_value());
  compare(rebuilt, expected);
  return rebuilt;
}

}  // namespace overlane::conformance::testing
