#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::fastpath {

/// The two-node shoot of all live tests: node-1 is the fast path, 10.250.0.4 with pods from
/// 100.96.0.2; node-2 is a kernel, 10.250.0.5 with 100.96.2.0/23.
inline constexpr const char* kShoot = "topologies/library/manifests/shoot-alicloud.yaml";
inline constexpr const char* kNearPod = "100.96.0.2";
inline constexpr const char* kFarPod = "100.96.2.2";
inline constexpr const char* kNearNode = "10.250.0.4";

/// How pods and their nodes are configured.
struct Layout {
  std::string variant = "vxlan";  ///< Variant of the built-in comparison: routed, ipip, vxlan.
  std::uint32_t pod_mtu = 1450;   ///< MTU of the near pod's device, independent of the node.
  std::uint32_t far_pod_mtu = 1450;

  friend std::ostream& operator<<(std::ostream& out, const Layout& layout) {
    return out << layout.variant;
  }
};

/// Adds each line as one command of the program.
void append(std::vector<kernel::Command>& commands, kernel::Program program,
            std::initializer_list<std::string> lines);
/// Commands that turn a namespace into node-2, with `eth0` to the near node, `cali1` to the far
/// pod, and the variant's tunnel device.
std::vector<kernel::Command> far_node_commands(const Layout& layout);
/// Commands that turn a namespace into a pod, with `eth0` to its node.
std::vector<kernel::Command> pod_commands(const std::string& address, std::uint32_t mtu);

/// The namespaces of the fast path and a pod on one side:
///
///     near_pod [eth0] ── [pods0] middle [up0] ── …
///
/// The fast path uses pods0 and up0, or the taps tpods and tup, which wire() connects to them.
class NearSide {
 public:
  static Parsed<NearSide> make(const Layout& layout);

  kernel::NetworkNamespace near_pod;
  kernel::NetworkNamespace middle;

  /// Connects tpods to pods0 and tup to up0: forwards each frame from one to the other.
  Result<void, std::string> wire() const;
};

/// … ── [eth0] far_node [cali1] ── [eth0] far_pod, in namespaces of the running kernel.
class FarSide {
 public:
  static Parsed<FarSide> make(const Layout& layout, const NearSide& near);

  kernel::NetworkNamespace far_node;
  kernel::NetworkNamespace far_pod;
};

/// Runs "ip" commands in a namespace.
Result<void, std::string> ip(const kernel::NetworkNamespace& place,
                             const std::vector<std::string>& lines);

/// IPv6 in addition to a testbed's IPv4, with the addresses of node::testing::make_cluster: its
/// first node is the fast path, fd00:10:250::4, its second one the far node, fd00:10:250::5.
inline constexpr const char* kNearPod6 = "fd00:10:96:1::10";
inline constexpr const char* kFarPod6 = "fd00:10:96:2::10";

/// The fast path's state. `encapsulation`: None or Vxlan.
node::NodeState near_state(Encapsulation encapsulation);

/// Adds IPv6 addresses and routes to both pods and the far node.
Result<void, std::string> add_ipv6(const NearSide& near, const FarSide& far,
                                   Encapsulation encapsulation);

/// The far node and its pod in user-mode Linux, which has devices that the running kernel may lack
/// (ipip). An Echo runs in the pod. The uplink is the tap up0 in NearSide::middle. The destructor
/// stops user-mode Linux.
class UmlFarSide {
 public:
  /// The reason why user-mode Linux cannot run on this machine; empty if it can.
  static std::string why_not();

  /// Starts the far side and returns when the pod's Echo answers. Files are in `folder`.
  static Parsed<std::unique_ptr<UmlFarSide>> start(const Layout& layout, const NearSide& near,
                                                   const std::filesystem::path& folder);
  ~UmlFarSide();

  /// Runs exchange_all_sizes() from the far pod.
  std::string exchange_all_sizes_with(const std::string& pod, std::size_t mtu) const;

  /// Main function of the program inside: runs an Echo and the requested exchanges until a file in
  /// `folder` requests the end.
  static std::string serve(const std::filesystem::path& folder);

 private:
  UmlFarSide(const NearSide& near, std::filesystem::path folder);

  std::filesystem::path folder_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
