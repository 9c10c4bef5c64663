#pragma once

#include <compare>

namespace overlane::cost {

/// Offloads of a NIC and its driver, by the names of `ethtool -k`: with them the stack handles few
/// large buffers instead of many packets. The defaults are those of a server NIC of the last ten
/// years.
struct Offloads {
  /// generic-segmentation-offload: TCP passes up to 64 KiB down the stack as one buffer.
  bool gso = true;
  /// tcp-segmentation-offload: the NIC segments such a buffer; otherwise the kernel does, before
  /// the driver.
  bool tso = true;
  /// tx-ipxip4-segmentation: the same for buffers encapsulated in IPIP.
  bool ipxip4_segmentation = true;
  /// tx-udp_tnl-segmentation: the same for buffers encapsulated in VXLAN or Geneve.
  bool udp_tnl_segmentation = true;
  /// generic-receive-offload: a poll merges the packets of one stream.
  bool gro = true;

  auto operator<=>(const Offloads&) const = default;
};

}  // namespace overlane::cost
