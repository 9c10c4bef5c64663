#pragma once

#include <vector>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {

/// A tunnel over which pods of one family talk.
struct Tunnel {
  const char* name;
  node::testing::ClusterShape shape;
  Family pods = Family::Ipv4;

  Family underlay() const { return node::testing::underlay(shape, pods); }
  IpAddress own_pod() const;
  IpAddress far_pod() const;
  /// From the far pod to the node's own, in the tunnel.
  forward::Packet arriving() const { return tunnelled(shape, udp(far_pod(), own_pod())); }
  /// What becomes of it.
  std::string delivered(std::uint32_t bytes = 100) const;
};

/// Every encapsulation over every family that it runs over, with each family inside once.
const std::vector<Tunnel>& tunnels();

}  // namespace overlane::conformance::testing
