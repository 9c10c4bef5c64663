#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "dataplane/node/state/world.h"
#include "scenarios/migration/observe/outages.h"

namespace overlane::migration {

/// Notes when the queries of each node's pods to upstream DNS are not masqueraded.
class UpstreamDns {
 public:
  /// Refers to the world, in which they are masqueraded at the beginning.
  UpstreamDns(const node::World& world, std::vector<IpPrefix> nameservers)
      : world_(world), nameservers_(std::move(nameservers)), open_(world.nodes.size()) {}

  void see(const node::WorldChange& change, Picos now);

  /// From a node to itself, by time.
  std::vector<Outage> take() { return std::move(outages_); }

 private:
  bool are_masqueraded(const node::NodeState& node) const;

  const node::World& world_;
  std::vector<IpPrefix> nameservers_;
  std::vector<std::optional<std::size_t>> open_;  ///< By node: which of outages_.
  std::vector<Outage> outages_;
};

}  // namespace overlane::migration
