#pragma once

#include <string>
#include <vector>

#include "topologies/compile/compile.h"
#include "topologies/graph/testing/shoots.h"
#include "topologies/path/question.h"
#include "topologies/path/trace.h"

namespace overlane::path::testing {

// Clusters of all dataplane modes for tests of traces, and texts of traces to compare with.

/// The decisions by place: "node-1: check source, route; vpc: …", without ICMP errors.
std::string story(const Trace& trace);
/// Every hop with its reason and entry, one per line.
std::string explain(const Trace& trace);
/// All lines of the states' text.
std::vector<std::string> all_lines(const compile::Compiled& states);

constexpr std::uint32_t kNodes = 3;  // 1 and 3 in zone a, 2 in zone b.
const std::vector<std::string> kPlaces = {"node-1", "vpc", "node-2"};

/// `shoot` on a provider, with Gardener's masquerading: to all destinations except pods and nodes.
effective::EffectiveDataplane on(effective::Provider provider, effective::EffectiveDataplane shoot);

/// A shoot and its states.
struct Cluster {
  effective::EffectiveDataplane shoot;
  compile::Compiled states;

  explicit Cluster(effective::EffectiveDataplane of);
  /// Traces a packet; an invalid question fails the test.
  Trace operator()(const Question& question) const;
  /// Removes an entry from the states.
  void without(const std::string& entry);
};

/// A dataplane mode and the expected path in it.
struct Mode {
  const char* name;
  effective::EffectiveDataplane shoot;
  std::string to_pod;  ///< The decisions by place of a packet to a pod in another zone.
};

/// All dataplane modes.
std::vector<Mode> modes();

}  // namespace overlane::path::testing
