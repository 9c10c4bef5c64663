#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "results/finding/finding.h"
#include "scenarios/calibrate/host_model.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/two_hosts.h"
#include "scenarios/runner/plan/parallel.h"

namespace overlane::calibrate {

/// The prediction for a row, in the order of its figures.
using Prediction = std::vector<double>;

/// A row with the hosts that it was measured on.
struct Trial {
  const MeasurementRow* row = nullptr;
  TwoHosts hosts;
};

/// The rows of `table` selected by `wanted`, with their hosts. The table must outlive the trials.
Parsed<std::vector<Trial>> make_trials(const MeasurementTable& table,
                                       bool (*wanted)(const MeasurementRow&));

/// The load of a trial's row between its pods.
run::TrafficGroup traffic_of(const Trial& trial);

/// A trial to predict, and the model to predict it with.
struct Question {
  const Trial* trial = nullptr;
  const HostModel* model = nullptr;
};

/// Runs the packet engine once per question, on `threads` threads (0: one per core; does not change
/// results). Errors are internal.
Parsed<std::vector<Prediction>> predict(std::span<const Question> questions, std::uint32_t threads,
                                        const runner::TasksDone& progress = {});

}  // namespace overlane::calibrate
