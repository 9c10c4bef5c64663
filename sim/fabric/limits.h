#pragma once

#include <compare>
#include <optional>

#include "dataplane/net/units.h"

namespace overlane::fabric {

/// What an instance may send, and the same again receive, in the long run. While it has credits it
/// goes at its NIC's rate.
struct BandwidthAllowance {
  BitsPerSecond baseline;  ///< Of IP packets; > 0.
  Bytes credits;           ///< To begin with, and at most.

  auto operator<=>(const BandwidthAllowance&) const = default;
};

/// The same in packets.
struct PacketAllowance {
  std::int64_t per_second = 1;  ///< > 0.
  std::int64_t burst = 1;       ///< At least 1.

  auto operator<=>(const PacketAllowance&) const = default;
};

/// What a cloud allows besides the NIC's rate. Absent members are no limits.
struct Limits {
  /// Of the packets that the fabric takes for one flow: those of one 5-tuple, or, where it sees no
  /// ports, as in IPIP, all between two nodes.
  std::optional<BitsPerSecond> single_flow;
  std::optional<BandwidthAllowance> bandwidth;
  std::optional<PacketAllowance> packets;

  bool has_allowances() const { return bandwidth || packets; }

  auto operator<=>(const Limits&) const = default;
};

/// How much of one flow passes at the NIC's rate before the cap shows: the clouds do not say; this
/// is two of Linux's largest buffers.
inline constexpr Bytes kSingleFlowBurst{131'072};

}  // namespace overlane::fabric
