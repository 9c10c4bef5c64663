#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/runner/load/given_files.h"
#include "scenarios/runner/load/request.h"
#include "scenarios/runner/load/subject.h"
#include "scenarios/spec/scenario.h"
#include "sim/cost/cost_profile.h"
#include "sim/run/inputs/traffic_group.h"

namespace overlane::runner {

/// A scenario ready to run: read, decoded and laid out.
struct Prepared {
  spec::Scenario scenario;
  Subject subject;
  std::optional<cost::CostProfile> costs;  ///< Empty: CPU time is free.
  /// Sources of its costs by stage: "stage veth".
  std::map<std::string, std::string> cost_sources;
  /// The profiles of the hosts that `costs` are the mean of; empty: they are one host's.
  std::vector<cost::CostProfile> cost_hosts;
  std::vector<run::TrafficGroup> traffic;  ///< In the shoot's first family.
  bool show_steps = false;                 ///< Request::show_steps.
  std::uint64_t seed = 1;                  ///< The seed that selected the pairs of `traffic`.
  /// The scenario in a form that can be run again: the file, or the library's comparison with the
  /// given manifests.
  std::string text;
};

Outcome<Prepared> prepare(const Request& request);

}  // namespace overlane::runner
