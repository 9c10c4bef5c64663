#pragma once

#include <memory>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

/// The IPIP device `tunl0` of a namespace whose kernel has no module ipip: a TUN device, and a
/// thread that puts its packets into IPv4 packets of protocol 4 (RFC 2003) and takes them out.
/// Routes, addresses, MTU, packet filters and the state of the device are those of the kernel. As
/// the kernel's fallback device, it sends to the next hop of the packet's route, receives from
/// everywhere, and copies the flag DF. It is slow, and unlike the kernel's device it tells the
/// sender of a packet nothing about an MTU beyond the device.
///
/// The device disappears with the object, or with the namespace.
class UserIpip {
 public:
  /// Makes the device, which is down. The namespace must outlive the object.
  static Parsed<UserIpip> make(const NetworkNamespace& place);
  UserIpip(UserIpip&&) noexcept;
  ~UserIpip();

 private:
  struct State;
  explicit UserIpip(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace overlane::kernel
