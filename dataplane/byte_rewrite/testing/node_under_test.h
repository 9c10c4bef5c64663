#pragma once

#include <utility>
#include <vector>

#include "dataplane/byte_rewrite/full_path.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/node/testing/cluster.h"

namespace overlane::byte_rewrite::testing {

using Bytes = std::vector<std::uint8_t>;

/// A node that records the packets that it sent and the fragments that it lost.
struct NodeUnderTest {
  node::NodeState state;
  node::NodeRuntime runtime;
  FullPath path;
  std::vector<Bytes> out;
  std::vector<node::ReassemblyTable::Expired> lost_fragments;

  explicit NodeUnderTest(const node::testing::ClusterShape& shape)
      : state(make_cluster(shape).nodes[0]) {}

  /// Masquerades pods towards destinations outside 100.96.0.0/16.
  void masquerade() {
    node::PacketFilter filter;
    filter.tracking = node::Tracking::All;
    filter.masqueraded_sources = {node::testing::net("100.96.0.0/16")};
    filter.unmasqueraded_destinations = filter.masqueraded_sources;
    filter.random_fully = false;
    state.filter = std::make_shared<const node::PacketFilter>(std::move(filter));
  }

  /// Processes a packet. Afterwards `out` has only the packets sent for it.
  Fate arrive(std::span<const std::uint8_t> packet, forward::Ingress ingress, Picos now = {}) {
    out.clear();
    return path.run(forward::StateLookup(state), runtime, packet, ingress, now, *this);
  }
  void time_out(Picos now) {
    out.clear();
    path.time_out(forward::StateLookup(state), runtime, now, *this);
  }

  void sent(const Sent& sent) { out.emplace_back(sent.bytes.begin(), sent.bytes.end()); }
  void lost(const node::ReassemblyTable::Expired& lost) { lost_fragments.push_back(lost); }
};

}  // namespace overlane::byte_rewrite::testing
