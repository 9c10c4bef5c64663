#pragma once

#include <span>
#include <string_view>

#include "topologies/sources/citation.h"

namespace overlane::provider {

// The network interfaces (NICs) of the clouds' machines, by Linux driver: what each does with the
// packets of a tunnel. Both facts decide how an overlay performs. A NIC that does not segment (TSO)
// inside a tunnel leaves that to the CPU. A NIC selects the receive queue, and so the core, of a
// packet by a hash of its header fields (RSS); if it hashes the outer header only, all flows that
// IP in IP carries between two nodes share one core. The table is constant: any thread may read it.

/// A NIC, as the source of its driver describes it.
struct Nic {
  std::string_view driver;  ///< Name in `ethtool -i`; Machines::nic refers to it.
  /// Whether the NIC segments TCP inside IP in IP, VXLAN and Geneve.
  bool segments_in_tunnels = false;
  sources::Citation segmentation_source;
  /// Whether RSS hashes the inner header of IP in IP (including IPv6 inside or outside).
  bool hashes_inside_ipip = false;
  /// Whether RSS hashes the inner header of VXLAN and Geneve.
  bool hashes_inside_udp_tunnels = false;
  sources::Citation rss_source;
};

std::span<const Nic> nics();

/// The NIC of the driver; null if the table does not have it.
const Nic* find_nic(std::string_view driver);

}  // namespace overlane::provider
