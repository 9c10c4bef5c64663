#pragma once

#include <compare>
#include <cstdint>

namespace overlane::run {

/// A number that a run goes by and that can be moved, to see what it is worth.
struct Parameter {
  enum class Kind : std::uint8_t {
    NicRate,        ///< Of every machine whose NIC is as fast as that of node `of`.
    QueueRoom,      ///< Packets that wait for a NIC, for the fabric's port to one or a link of its
                    ///< racks, or for a core.
    SingleFlowCap,  ///< Of the VPC.
    Baseline,       ///< Bandwidth that every instance has in the long run.
    PacketRate,     ///< The same in packets.
    PathLatency,    ///< Within a zone and across zones.
    StageCost,      ///< Of stage `of`: all its costs.
    Window,         ///< The receive window of group `of`.
    DatagramRate,   ///< Of each flow of group `of`.
    ThinkTime,      ///< Of group `of`.
    Loss,           ///< Of the fabric.
    PathMtu,        ///< Of the fabric.
    Deny,           ///< Entry `of` of the fabric's packet filter.
    UplinkRate,     ///< Of every link between leaves and spines.
  };
  Kind kind = Kind::NicRate;
  std::uint32_t of = 0;

  auto operator<=>(const Parameter&) const = default;
};

}  // namespace overlane::run
