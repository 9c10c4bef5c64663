#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"
#include "results/model/run_report.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/limits/queued_requests.h"
#include "sim/run/limits/shared_core.h"

namespace overlane::run {

/// The results of a run. If it ended early, the results up to that time, with rates over the
/// shorter time.
struct Measurement {
  model::Ending ending = model::Ending::Complete;
  Picos ended_at;                             ///< Time up to which all events have happened.
  std::vector<model::TrafficResult> traffic;  ///< One per group, in the order given.
  std::vector<std::int64_t> datagrams;  ///< By group: datagrams sent by its clients; 0 for groups
                                        ///< without UDP.
  /// For every group, one representative flow (the lowest numbered) per distinct limit, at most
  /// kLimitsPerGroup (limits.h) of them.
  std::vector<model::Limit> limits;
  /// The constants behind each limit; empty if an entry of the states stops the packets.
  std::vector<std::vector<Parameter>> behind_limits;
  /// The busiest core that flows share although others are idle; empty if there is none.
  std::optional<SharedReceiveCore> shared_core;
  /// The busiest core that requests share with streams; empty if there is none.
  std::optional<QueuedRequests> queued_requests;
  model::CpuUtilisation cpu_utilisation;
  std::vector<std::int64_t> node_busy_ppm;  ///< By node; empty without CPU costs.
  std::optional<model::Series> series;
  model::EngineFacts engine;
  model::BytePath byte_path;
  std::string
      first_mismatch;  ///< First difference to the byte path, as text; empty if there is none.
};

/// Carries `traffic` over `network` for `options.duration` of simulated time, on at most
/// `options.threads` threads. The result (except threads and wall-clock seconds) depends on the
/// other arguments only. A failure is an internal error: the packet counts of a group do not add
/// up.
Parsed<Measurement> run(const Network& network, const std::vector<TrafficGroup>& traffic,
                        const RunOptions& options);

}  // namespace overlane::run
