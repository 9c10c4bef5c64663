#pragma once

#include <vector>

#include "results/finding/result.h"
#include "scenarios/calibrate/measurement_table.h"
#include "sim/run/run.h"

namespace overlane::calibrate {

/// What a row of a table was measured on, ready to run but for costs and latency.
struct TwoHosts {
  run::Network network;
  run::PodPair pods;  ///< The client's and the server's.
};

/// The pods' MTU in a row: as given, else the link's less what the encapsulation takes.
std::uint32_t pod_mtu(const MeasurementTable& table, const Row& row);
/// IPv4 needs so much (RFC 791).
inline constexpr std::uint32_t kLeastPodMtu = 68;

/// Goes the way of `overlane run`: writes the manifest of a shoot with two nodes that has the
/// encapsulation of the row's system, decodes it, derives its dataplane, gives it the row's MTUs
/// and compiles its states. A failure is a defect.
Parsed<TwoHosts> make_two_hosts(const MeasurementTable& table, const Row& row);

}  // namespace overlane::calibrate
