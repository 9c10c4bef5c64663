#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

class NetworkNamespace;

// BIRD 2 in the namespaces of nodes, with a full mesh of BGP sessions, as calico-node configures
// its fork of BIRD (confd/etc/calico/confd/templates/bird.cfg.template). Each BIRD announces the
// pod CIDR of its node, and writes the routes to its peers' pods into the kernel.
//
// Debian's BIRD has no attribute krt_tunnel, by which Calico's fork writes routes through tunl0. So
// an export filter says which routes it writes: those that need no tunnel.

/// A node that runs BIRD.
struct BirdNode {
  const NetworkNamespace* place = nullptr;  ///< Must outlive the mesh.
  std::string uplink;                       ///< Device of the node's address.
  IpAddress address;
  IpPrefix subnet;                   ///< The node's subnet, on the uplink.
  std::optional<IpAddress> gateway;  ///< Router of the subnet; nothing if BIRD does not learn it.
  IpPrefix pod_cidr;
};

/// The BIRD processes of a cluster. They end with this object, and with this process.
class BirdMesh {
 public:
  /// Starts all of them. `restart_time`, in whole seconds, is that of BGP graceful restart: how
  /// long peers keep the routes of a BIRD that has ended. Fails if BIRD is not installed, does not
  /// start, or has not all sessions within 30 s.
  static Parsed<BirdMesh> start(std::vector<BirdNode> nodes, std::chrono::seconds restart_time);
  BirdMesh(BirdMesh&&) noexcept;
  ~BirdMesh();

  /// Lets the BIRD of a node write the routes to these pod CIDRs too, and waits until the kernel
  /// has them, at most 2 s.
  Result<void, std::string> write_routes(std::size_t node, const std::set<IpPrefix>& pod_cidrs);
  /// Kills the BIRD of a node, as the end of its container does. Its routes stay (`persist`).
  void end(std::size_t node);
  bool runs(std::size_t node) const;
  /// Removes the routes that the BIRD of a node has written, after its end.
  Result<void, std::string> remove_routes(std::size_t node);

 private:
  struct State;
  explicit BirdMesh(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// The configuration of one BIRD of the mesh, which writes the routes to `written`.
std::string bird_configuration(const std::vector<BirdNode>& nodes, std::size_t node,
                               const std::set<IpPrefix>& written,
                               std::chrono::seconds restart_time);

}  // namespace overlane::kernel
