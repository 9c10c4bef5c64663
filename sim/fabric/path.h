#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "dataplane/net/units.h"
#include "sim/fabric/loss.h"
#include "sim/fabric/racks.h"

namespace overlane::fabric {

/// How long a VPC takes and how much it holds.
struct Paths {
  Picos within_zone = microseconds(20);
  Picos across_zones = microseconds(500);
  /// A packet takes up to this much longer, at random; packets between two instances keep their
  /// order. Without it, senders of equal rates fall in step at a full queue, and one of them gets
  /// all of it (Floyd and Jacobson, "On traffic phase effects", 1992).
  Picos jitter = microseconds(1);
  /// Packets that wait for the link to one instance's NIC: it runs at that NIC's rate, so several
  /// senders to one instance queue here.
  std::uint32_t port_queue_packets = 1000;
  Loss loss;
  /// Without, nothing but a NIC holds anything up. With, the latencies above lie in front of the
  /// leaf, and what its links and the spines' take comes on top.
  std::optional<Racks> racks;

  auto operator<=>(const Paths&) const = default;
};

}  // namespace overlane::fabric
