#pragma once

#include <string>
#include <vector>

#include "scenarios/testbed/cluster.h"

namespace overlane::testbed {

/// Where an end of a flow is.
struct PlannedEnd {
  run::PodEnd pod;
  bool is_on_node = false;  ///< On the network of its node, which has the address.
};

/// A flow of a slice, wherever its ends are.
struct PlannedFlow {
  kernel::FlowLoad load;
  PlannedEnd client;
  PlannedEnd server;
  std::uint16_t port = 0;  ///< One for each flow: run::kServerPort and those behind it.
  std::uint64_t seed = 1;
};

/// Those of all groups, in their order.
std::vector<PlannedFlow> flows_of(const std::vector<run::TrafficGroup>& groups);

/// What the figures of flows_of(groups) say. Fails with the failure of a flow.
Result<Slice, HostsFailure> slice_of(const std::vector<run::TrafficGroup>& groups,
                                     const kernel::Carried& carried);

/// Why real sockets cannot send this traffic; empty if they can.
std::string not_measurable(const run::TrafficGroup& group);

}  // namespace overlane::testbed
