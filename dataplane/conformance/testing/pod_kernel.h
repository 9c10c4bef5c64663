#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::conformance::testing {

/// One family of a pod as Calico's plugin sets it up (utils.go of cni-plugin): an address of its
/// own alone, and all else behind a gateway that is nobody's address or a link-local one.
struct PodSide {
  IpAddress address;
  IpAddress gateway;
};

/// 10.0.0.2 behind 169.254.1.1, and 2001:db8::2 behind fe80::ecee:eeff:feee:eeee.
std::vector<PodSide> pod_sides();
inline constexpr MacAddress kPodMac{{2, 0, 0, 0, 0, 2}};

/// A kernel that is a pod, and the host's end of its veth, which belongs to no kernel's stack.
class PodKernel {
 public:
  static Result<PodKernel, std::string> make();

  /// Puts a frame on the veth, and takes one off it.
  bool transmit(std::span<const std::uint8_t> frame) const;
  std::optional<std::vector<std::uint8_t>> receive() const;

  /// A UDP socket of the pod on port 7 sends an empty datagram, or has received one.
  bool sends_datagram(const IpAddress& to) const;
  bool takes_datagram() const;

  /// Runs `ip` in the pod.
  Result<void, std::string> ip(const std::string& arguments) const;
  /// The path MTU to there that the pod has learned.
  std::optional<std::uint32_t> path_mtu(const IpAddress& to) const;

 private:
  PodKernel(kernel::NetworkNamespace pod, kernel::NetworkNamespace host)
      : pod_(std::move(pod)), host_(std::move(host)) {}
  Result<void, std::string> set_up();

  kernel::NetworkNamespace pod_;
  kernel::NetworkNamespace host_;
  kernel::OwnedFd port_;    ///< A packet socket on the host's end.
  kernel::OwnedFd socket_;  ///< The pod's.
};

}  // namespace overlane::conformance::testing
