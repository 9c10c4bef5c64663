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
  /// Refers to the world, in which they are masqueraded at the beginning. The last `joining` nodes
  /// have no pods until they join.
  UpstreamDns(const node::World& world, std::uint32_t joining, std::vector<IpPrefix> nameservers);

  void see(const node::WorldChange& change, Picos now);
  void join(std::uint32_t node, Picos now);
  void leave(std::uint32_t node, Picos now);

  /// From a node to itself, by time.
  std::vector<Outage> take() { return std::move(outages_); }

 private:
  bool are_masqueraded(const node::NodeState& node) const;
  /// Notes how a node's queries fare.
  void note(std::uint32_t node, bool are_masqueraded, Picos now);

  const node::World& world_;
  std::vector<IpPrefix> nameservers_;
  std::vector<bool> absent_;
  std::vector<std::optional<std::size_t>> open_;  ///< By node: which of outages_.
  std::vector<Outage> outages_;
};

}  // namespace overlane::migration
