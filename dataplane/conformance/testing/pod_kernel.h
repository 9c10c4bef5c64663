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

// A pod in a Linux kernel of its own: a network namespace that Calico's CNI plugin could have set
// up, whose frames a test reads and writes on the host's end of the veth.

/// The network of a pod in one family, as Calico's CNI plugin sets it up (utils.go of cni-plugin):
/// a /32 or /128 address, and a default route through a gateway that no interface owns in IPv4 and
/// that is link-local in IPv6.
struct PodSide {
  IpAddress address;
  IpAddress gateway;
};

/// 10.0.0.2 behind 169.254.1.1, and 2001:db8::2 behind fe80::ecee:eeff:feee:eeee.
std::vector<PodSide> pod_sides();
inline constexpr MacAddress kPodMac{{2, 0, 0, 0, 0, 2}};

/// The network namespace of a pod, and that of the host's end of its veth, in which no IP stack
/// answers.
class PodKernel {
 public:
  static Result<PodKernel, std::string> make();

  /// Sends a frame to the pod, and receives one from it. receive() returns nullopt if there is
  /// none.
  bool transmit(std::span<const std::uint8_t> frame) const;
  std::optional<std::vector<std::uint8_t>> receive() const;

  /// Sends an empty datagram from the pod's UDP socket on port 7 to port 7 of `to`, and receives
  /// one. False if the kernel refuses or has none.
  bool sends_datagram(const IpAddress& to) const;
  bool takes_datagram() const;

  /// Runs `ip` in the pod.
  Result<void, std::string> ip(const std::string& arguments) const;
  /// The path MTU to `to` that the pod has learned.
  std::optional<std::uint32_t> path_mtu(const IpAddress& to) const;

 private:
  PodKernel(kernel::NetworkNamespace pod, kernel::NetworkNamespace host)
      : pod_(std::move(pod)), host_(std::move(host)) {}
  Result<void, std::string> set_up();

  kernel::NetworkNamespace pod_;
  kernel::NetworkNamespace host_;
  kernel::OwnedFd port_;    ///< Packet socket on the host's end of the veth.
  kernel::OwnedFd socket_;  ///< UDP socket of the pod.
};

}  // namespace overlane::conformance::testing
