#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/runner/load/prepare.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"

namespace overlane::runner {

/// The dataplane of the shoot with this variant's patch, in the zones of the shoot as written.
Result<effective::EffectiveDataplane> variant_dataplane(const Subject& subject,
                                                        const spec::Variant& variant);

/// One variant of a scenario, ready to run.
struct LaidOut {
  model::Variant variant;                      ///< Without measurements.
  Family family = Family::Ipv4;                ///< Of its pods' traffic.
  std::optional<std::uint8_t> mtu_probing;     ///< Overrides the traffic's.
  std::optional<run::Network> network;         ///< Empty: not runnable; `variant` has the reason.
  std::vector<model::Assumption> assumptions;  ///< Only of this variant.
  std::vector<run::TimedChange> changes;       ///< The scenario's events.
  std::vector<run::NodeJoin> joins;            ///< RunOptions::joins.
  Findings findings;
};

/// The scenario's traffic between the pods' addresses of this family, which must exist.
std::vector<run::TrafficGroup> traffic_in(const Prepared& prepared, Family family);

LaidOut lay_out(const Prepared& prepared, const spec::Variant& variant);

}  // namespace overlane::runner
