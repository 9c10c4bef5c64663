#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dataplane/kernel/agent/protocol/messages.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "results/finding/finding.h"

namespace overlane::agent {

// What an agent makes on its host for measurements: pods, tunnels and routes per variant, and
// how they are removed again. host_facts() reports what the host offers.

/// Devices of agents are named "ovl-<variant>-<what>".
inline constexpr std::string_view kDevicePrefix = "ovl-";
/// The routing protocol number of agents' routes (rtnetlink(7); none of iproute2's rt_protos).
inline constexpr int kRouteProtocol = 79;

/// The commands that remove from this host what looks like that of an agent which was killed;
/// empty: there is nothing. Needs iproute2.
Parsed<std::string> leftovers();

/// The pods, tunnels and routes of all variants on this host, whose own namespace is the node as on
/// a Kubernetes node. Removed by tear_down() or the destructor; when the process is killed, pods
/// and their veths go with it, tunnels and routes to the peer stay (leftovers()).
class HostDataplane {
 public:
  explicit HostDataplane(HostFacts facts) : facts_(std::move(facts)) {}
  HostDataplane(const HostDataplane&) = delete;
  HostDataplane& operator=(const HostDataplane&) = delete;
  ~HostDataplane();

  const HostFacts& facts() const { return facts_; }

  /// Fails if a variant has that number, if a route of the host is in the ranges' way, or with what
  /// the kernel refused; then nothing of the variant is left.
  Result<void, std::string> set_up(const SetUpVariant& variant);
  /// The flows of a variant in this host's namespaces. Fails if an address is none of the variant.
  Parsed<std::vector<kernel::Flow>> flows(const Prepare& prepare) const;
  /// Fails with what could not be removed; goes on with the rest.
  Result<void, std::string> tear_down();

 private:
  struct Made {
    SetUpVariant variant;
    std::map<IpAddress, kernel::NetworkNamespace> pods;
    std::vector<kernel::Command> undo;  ///< To be run from the last to the first.
  };

  Result<void, std::string> make(Made& made);
  Result<void, std::string> add_pods(Made& made, const kernel::NetworkNamespace& own);
  Result<void, std::string> add_way_to_peer(Made& made, const kernel::NetworkNamespace& own);
  Result<void, std::string> forward_on_uplink(Family family);
  Parsed<kernel::FlowEnd> end(const Made& made, const IpAddress& address, bool is_here) const;
  static Result<void, std::string> undo(std::vector<kernel::Command>& commands);

  HostFacts facts_;
  std::map<std::uint32_t, Made> made_;
  std::vector<kernel::Command> undo_;  ///< Undoes what all variants share.
};

/// Facts of this host. The uplink is that device, or the one with `reached_at`, the address that
/// the client has connected to. Fails if there is no such device, or if that is the loopback.
Parsed<HostFacts> host_facts(HostNetwork network, const std::optional<std::string>& uplink,
                             const IpAddress& reached_at);

}  // namespace overlane::agent
