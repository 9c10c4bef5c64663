#pragma once

#include <compare>
#include <optional>

#include "dataplane/net/units.h"

namespace overlane::fabric {

/// Long-term limit of an instance, for sending and receiving separately. While credits remain, the
/// instance sends at its NIC's rate.
struct BandwidthAllowance {
  BitsPerSecond baseline;  ///< Of IP packets; > 0.
  Bytes credits;           ///< Initial and maximum credits.

  auto operator<=>(const BandwidthAllowance&) const = default;
};

/// The same in packets.
struct PacketAllowance {
  std::int64_t per_second = 1;  ///< > 0.
  std::int64_t burst = 1;       ///< At least 1.

  auto operator<=>(const PacketAllowance&) const = default;
};

/// Limits of a cloud besides the NIC's rate. Absent members mean no limit.
struct Limits {
  /// Per flow as the fabric identifies it: a 5-tuple, or, if it sees no ports, as in IPIP, all
  /// packets between two nodes.
  std::optional<BitsPerSecond> single_flow;
  std::optional<BandwidthAllowance> bandwidth;
  std::optional<PacketAllowance> packets;

  bool has_allowances() const { return bandwidth || packets; }

  auto operator<=>(const Limits&) const = default;
};

/// How many bytes of a flow pass at the NIC's rate before single_flow applies. Clouds do not
/// document it; assumed: two of Linux's largest buffers.
inline constexpr Bytes kSingleFlowBurst{131'072};

}  // namespace overlane::fabric
