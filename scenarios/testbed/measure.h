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

/// How far a measurement is, for who watches.
struct MeasureProgress {
  std::uint32_t slice = 0;  ///< From 1.
  std::uint32_t least = 0;
  std::uint32_t most = 0;
  std::string variant;
  std::string traffic;
};

struct MeasureOptions {
  /// Half the width of the 95 % interval of each ratio to the baseline that is asked for.
  std::int64_t precision_ppm = 20'000;
  std::uint32_t least_slices = 7;
  std::uint32_t most_slices = 60;
  SliceOptions slice;
  /// With it, the report has what the packet engine predicts for namespaces of this machine.
  std::optional<spec::CostProfileFile> predict_with;
  /// Afterwards iperf3 and sockperf measure the same, where they can.
  bool is_cross_checked = false;
  /// Afterwards the fast path forwards the datagrams.
  std::optional<FastPath> fast_path;
  /// Measures the baseline twice, under another name: what differs is noise.
  bool is_noise_measured = false;
  std::function<void(const MeasureProgress&)> on_progress;  ///< May be empty.
};

/// Carries the scenario's traffic between the nodes of its variants on `hosts`, with real sockets,
/// and measures it. Variants alternate in short slices, so that what disturbs a machine disturbs
/// all alike; slices are added to a traffic until the interval of each of its ratios is as narrow
/// as asked. The report is that of a run, with a repetition for each slice and `executor: kernel`.
///
/// What kernel and sockets cannot do is a finding (`not-measured`), or the status of the variant. A
/// ratio that is not precise enough at last is one, too (`not-precise`), and an error a host that
/// disappeared (`host-lost`): the report has the slices until then.
runner::Outcome<model::RunReport> measure(const runner::Prepared& prepared,
                                          const runner::Request& request,
                                          const MeasureOptions& options, Hosts& hosts);

/// The rule of the finding about a host that disappeared.
inline constexpr std::string_view kHostLost = "host-lost";

}  // namespace overlane::testbed
