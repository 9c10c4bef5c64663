#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "dataplane/net/units.h"
#include "sim/fabric/loss.h"
#include "sim/fabric/racks.h"

namespace overlane::fabric {

/// Latencies, queues and loss of a VPC.
struct Paths {
  Picos within_zone = microseconds(20);
  Picos across_zones = microseconds(500);
  /// Maximum of a random extra delay per packet; packets between two instances keep their order.
  /// Without jitter, senders of equal rates synchronise at a full queue, and one of them gets the
  /// whole queue (Floyd and Jacobson, "On traffic phase effects", 1992).
  Picos jitter = microseconds(1);
  /// Queue of the link to one instance's NIC, in packets. The link runs at the NIC's rate, so
  /// traffic from several senders to one instance queues here.
  std::uint32_t port_queue_packets = 1000;
  Loss loss;
  /// Empty: only NICs queue packets. Set: the latencies above apply before the leaf; the times of
  /// the links between leaves and spines are added.
  std::optional<Racks> racks;

  auto operator<=>(const Paths&) const = default;
};

}  // namespace overlane::fabric
