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

// The pods, tunnels and routes that an agent makes on its host for measurements, per variant, and
// their removal. host_facts() reports the host's properties.

/// Prefix of the agent's devices, which are named "ovl-<variant>-<what>".
inline constexpr std::string_view kDevicePrefix = "ovl-";
/// The routing protocol number of the agent's routes (rtnetlink(7)), which iproute2's rt_protos
/// does not use.
inline constexpr int kRouteProtocol = 79;

/// The commands that remove what an agent that was killed left on this host. Empty if nothing is
/// found. Requires iproute2.
Parsed<std::string> leftovers();

/// The pods, tunnels and routes of all variants on this host. As on a Kubernetes node, the host's
/// own network namespace is the node. tear_down() or the destructor removes everything. If the
/// process is killed, the kernel removes pods and their veths; tunnels and routes to the peer stay
/// (leftovers()).
class HostDataplane {
 public:
  explicit HostDataplane(HostFacts facts) : facts_(std::move(facts)) {}
  HostDataplane(const HostDataplane&) = delete;
  HostDataplane& operator=(const HostDataplane&) = delete;
  ~HostDataplane();

  const HostFacts& facts() const { return facts_; }

  /// Makes a variant. Fails if a variant has that number already, if a route of the host overlaps
  /// the ranges, or with an error of the kernel. After a failure nothing of the variant remains.
  Result<void, std::string> set_up(const SetUpVariant& variant);
  /// The flows of a variant in this host's namespaces. Fails if an address does not belong to the
  /// variant.
  Parsed<std::vector<kernel::Flow>> flows(const Prepare& prepare) const;
  /// Removes all variants. On an error, continues with the rest and reports what could not be
  /// removed.
  Result<void, std::string> tear_down();

 private:
  struct Made {
    SetUpVariant variant;
    std::map<IpAddress, kernel::NetworkNamespace> pods;
    std::vector<kernel::Command> undo;  ///< Executed from the last to the first.
  };

  Result<void, std::string> make(Made& made);
  Result<void, std::string> add_pods(Made& made, const kernel::NetworkNamespace& own);
  Result<void, std::string> add_way_to_peer(Made& made, const kernel::NetworkNamespace& own);
  Result<void, std::string> forward_on_uplink(Family family);
  Parsed<kernel::FlowEnd> end(const Made& made, const IpAddress& address, bool is_here) const;
  static Result<void, std::string> undo(std::vector<kernel::Command>& commands);

  HostFacts facts_;
  std::map<std::uint32_t, Made> made_;
  std::vector<kernel::Command> undo_;  ///< Undoes the settings that all variants share.
};

/// Facts of this host. The uplink is the named device, or else the device with `reached_at`, the
/// address to which the client connected. Fails if there is no such device or it is the loopback
/// device.
Parsed<HostFacts> host_facts(HostNetwork network, const std::optional<std::string>& uplink,
                             const IpAddress& reached_at);

}  // namespace overlane::agent
