#pragma once

#include <compare>

#include "sim/cost/wire.h"

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

/// The offloads of nodes that `wire` connects, where nothing else says. A virtio NIC offers TSO for
/// plain TCP only (VIRTIO_NET_F_HOST_TSO4 and _TSO6; Linux 6.1 drivers/net/virtio_net.c sets no
/// hw_enc_features), until VIRTIO_NET_F_HOST_UDP_TUNNEL_GSO (virtio 1.4, Linux 6.17), which needs
/// both kernels and QEMU.
constexpr Offloads usual_offloads(Wire wire) {
  Offloads offloads;
  if (wire == Wire::Virtio) offloads.ipxip4_segmentation = offloads.udp_tnl_segmentation = false;
  return offloads;
}

}  // namespace overlane::cost
