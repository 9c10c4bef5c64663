#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/runner/load/prepare.h"
#include "sim/run/inputs/network.h"

namespace overlane::runner {

/// The dataplane as this variant's patch makes it, laid out like the shoot as written.
Result<effective::EffectiveDataplane> variant_dataplane(const Subject& subject,
                                                        const spec::Variant& variant);

/// One variant of a scenario, ready to be run.
struct LaidOut {
  model::Variant variant;                      ///< Nothing is measured yet.
  Family family = Family::Ipv4;                ///< In which its pods talk.
  std::optional<std::uint8_t> mtu_probing;     ///< Of its TCP, whatever the traffic says.
  std::optional<run::Network> network;         ///< Nothing: it cannot be run; `variant` says why.
  std::vector<model::Assumption> assumptions;  ///< Those of this variant only.
  Findings findings;
};

/// What the scenario sends, between the pods' addresses of that family, which they must have.
std::vector<run::TrafficGroup> traffic_in(const Prepared& prepared, Family family);

LaidOut lay_out(const Prepared& prepared, const spec::Variant& variant);

}  // namespace overlane::runner
