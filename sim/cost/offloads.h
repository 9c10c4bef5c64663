#pragma once

#include <compare>

namespace overlane::cost {

/// What a NIC and its driver do so that the stack handles few large buffers instead of many
/// packets, by the names of `ethtool -k`. The defaults are those of a server NIC of the last ten
/// years.
struct Offloads {
  /// generic-segmentation-offload: TCP hands up to 64 KiB down the stack as one buffer.
  bool gso = true;
  /// tcp-segmentation-offload: the NIC cuts such a buffer, else the kernel does before the driver.
  bool tso = true;
  /// tx-ipxip4-segmentation: the same for buffers inside IPIP.
  bool ipxip4_segmentation = true;
  /// tx-udp_tnl-segmentation: the same inside VXLAN and Geneve.
  bool udp_tnl_segmentation = true;
  /// generic-receive-offload: a poll merges what it finds of one stream.
  bool gro = true;

  auto operator<=>(const Offloads&) const = default;
};

}  // namespace overlane::cost
