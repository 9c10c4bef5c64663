#pragma once

#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/measurement_table.h"
#include "sim/run/run.h"

namespace overlane::calibrate {

/// The network that a row was measured on, without costs and latency.
struct TwoHosts {
  run::Network network;
  run::PodPair pods;  ///< The client's and the server's.
};

/// The pods' MTU in a row: as given, otherwise the link's minus the encapsulation overhead.
std::uint32_t pod_mtu(const MeasurementTable& table, const MeasurementRow& row);
/// Minimum MTU of IPv4 (RFC 791).
inline constexpr std::uint32_t kMinPodMtu = 68;

/// Executes the steps of `overlane run`: writes the manifest of a two-node shoot with the
/// encapsulation of the row's system, decodes it, derives its dataplane, sets the row's MTUs and
/// compiles its states. Errors are internal.
Parsed<TwoHosts> make_two_hosts(const MeasurementTable& table, const MeasurementRow& row);

}  // namespace overlane::calibrate
