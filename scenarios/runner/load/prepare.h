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

// The preparation of a scenario for its runs. prepare() reads the files of a request, decodes the
// Scenario (or selects the library's comparison that fits the manifests), places its shoot, and
// expands its traffic. make_plan() then lists the runs.

/// A scenario ready to run: read, decoded and laid out.
struct Prepared {
  spec::Scenario scenario;
  Subject subject;
  std::optional<cost::CostProfile> costs;  ///< Empty: CPU work takes no time.
  /// Sources of the costs in `costs`, by stage: "stage veth".
  std::map<std::string, std::string> cost_sources;
  /// The profiles of the hosts whose mean is `costs`; empty if `costs` describes one host.
  std::vector<cost::CostProfile> cost_hosts;
  std::vector<run::TrafficGroup> traffic;  ///< Traffic in the shoot's first IP family.
  bool show_steps = false;                 ///< Request::show_steps.
  std::uint64_t seed = 1;                  ///< The seed that selected the pairs of `traffic`.
  /// The scenario as text that can be run again: the file, or the library's comparison with the
  /// given manifests.
  std::string text;
};

Outcome<Prepared> prepare(const Request& request);

}  // namespace overlane::runner
