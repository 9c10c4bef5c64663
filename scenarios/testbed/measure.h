#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "scenarios/runner/runner.h"
#include "scenarios/spec/cost_profile.h"
#include "scenarios/testbed/cluster.h"
#include "scenarios/testbed/fast_path.h"

namespace overlane::testbed {

/// The progress of a measurement.
struct MeasureProgress {
  std::uint32_t slice = 0;  ///< Number of the current slice, from 1.
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  std::string variant;
  std::string traffic;
};

struct MeasureOptions {
  /// Requested precision: half the width of the 95 % confidence interval of each ratio to the
  /// baseline, in parts per million.
  std::int64_t precision_ppm = 20'000;
  std::uint32_t least_slices = 7;
  std::uint32_t most_slices = 60;
  SliceOptions slice;
  /// If given, the report contains the predictions of the packet engine for namespaces of this
  /// machine with these costs.
  std::optional<spec::CostProfileFile> predict_with;
  /// Whether iperf3 and sockperf measure the same traffic afterwards, if they can.
  bool is_cross_checked = false;
  /// If given, the fast path forwards the same datagrams afterwards.
  std::optional<FastPath> fast_path;
  /// Whether to measure the baseline a second time under another name. The difference is noise.
  bool is_noise_measured = false;
  std::function<void(const MeasureProgress&)> on_progress;  ///< May be empty.
};

/// Sends the scenario's traffic between the nodes of its variants on `hosts`, with real sockets,
/// and measures it. Variants alternate in short slices, so that a disturbance of the machine
/// affects all variants alike. Each traffic gets more slices, up to the maximum, until the interval
/// of each of its ratios is as narrow as requested. The report is that of a run, with a repetition
/// for each slice and `executor: kernel`.
///
/// A finding `not-measured`, or the status of the variant, reports what the kernel and sockets
/// cannot do. A finding `not-precise` reports a ratio that is not precise enough at the end. An
/// error `host-lost` reports a host that disappeared; the report then contains the slices until
/// that time.
runner::Outcome<model::RunReport> measure(const runner::Prepared& prepared,
                                          const runner::Request& request,
                                          const MeasureOptions& options, Hosts& hosts);

/// The rule of the finding about a host that disappeared.
inline constexpr std::string_view kHostLost = "host-lost";

}  // namespace overlane::testbed
