#pragma once

#include <vector>

#include "dataplane/conformance/testing/case.h"

namespace overlane::conformance::testing {

/// A tunnel that carries the packets of pods of one family.
struct Tunnel {
  const char* name;
  node::testing::ClusterShape shape;
  Family pods = Family::Ipv4;

  Family underlay() const { return node::testing::underlay(shape, pods); }
  IpAddress own_pod() const;
  IpAddress far_pod() const;
  /// A tunnel packet from the far pod to the node's own pod.
  forward::Packet arriving() const { return tunnelled(shape, udp(far_pod(), own_pod())); }
  /// The expected line of arriving() with an inner packet of `bytes` bytes.
  std::string delivered(std::uint32_t bytes = 100) const;
};

/// All encapsulations but WireGuard, each over every family that it supports, and with every inner
/// family at least once.
const std::vector<Tunnel>& tunnels();

}  // namespace overlane::conformance::testing
