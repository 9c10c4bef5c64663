#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "scenarios/runner/load/subject.h"
#include "scenarios/spec/scenario.h"

namespace overlane::runner {

class Progress;
struct Forecast;

/// Hooks into a running simulation. Null: none.
struct Steering {
  /// Receives the estimate of the run before it starts.
  std::function<void(const Forecast&)> forecast;
  /// If true, running simulations end and no more are started.
  const std::atomic<bool>* stop = nullptr;
  Progress* progress = nullptr;  ///< Receives the progress of the run.
};

/// Requested time series.
struct SeriesRequest {
  std::optional<Picos> interval;  ///< Above zero; by default a 50th of the duration.
  bool each_node = false;
};

/// Where packets are captured.
enum class CapturePlace : std::uint8_t { Wire, Pod };

/// Requested traces and captures of the first repetition of each variant.
struct PacketRequest {
  std::string flow;                  ///< A selector of choose_flow(); empty: no trace.
  std::size_t trace_limit = 10'000;  ///< Lines for each variant.
  std::string pcap_file;             ///< Empty: no capture. Otherwise the traced flow, or a sample.
  CapturePlace pcap_place = CapturePlace::Wire;
  std::uint32_t pcap_sample = 1;     ///< Every n-th flow, and the first of each traffic group.
  std::int64_t pcap_limit = 10'000;  ///< Packets in each file.

  bool any() const { return !flow.empty() || !pcap_file.empty(); }
};

/// Which figures get a sensitivity analysis.
enum class Why : std::uint8_t {
  Nothing,
  Goodput,  ///< The constants of each bottleneck.
  Latency,  ///< Also each traffic group's latency: all constants of the run.
  Cpu,      ///< Also the nodes' CPU use: the stages' costs.
  All,
};

/// Whether comparisons get ranges over the hosts behind a cost profile that is a mean: each variant
/// then also runs with each host's costs.
enum class CostRanges : std::uint8_t {
  None,
  IfShort,  ///< Unless the runs are long; then a note says that there are none.
  Always,
};

/// The arguments of `overlane run`.
struct Request {
  std::vector<std::string> paths;  ///< One Scenario file, or manifests (files, folders, "-").
  SubjectOptions subject;
  std::optional<std::uint64_t> seed;         ///< Overrides the scenario's; default 1.
  std::optional<std::uint32_t> repetitions;  ///< At least 1; overrides the scenario's.
  std::uint32_t threads = 0;                 ///< 0: one per core. Does not change results.
  std::int64_t max_events = INT64_MAX;       ///< Per run; a run that reaches it ends early.
  /// For the whole program: limits parallel runs; an error if one run needs more.
  std::optional<Bytes> max_memory;
  std::optional<Bytes>
      available_memory;  ///< Memory of the machine; an error if a run certainly needs more.
  std::optional<SeriesRequest> series;
  PacketRequest packets;
  Why why = Why::Nothing;
  CostRanges ranges = CostRanges::None;
  bool show_steps = false;  ///< Fill in VariantResult::steps.
  model::Environment environment;
  Steering steering;
};

/// The seed of all random streams.
inline std::uint64_t seed_of(const Request& request, const spec::Scenario& scenario) {
  constexpr std::uint64_t kDefault = 1;
  return request.seed.value_or(scenario.seed.value_or(kDefault));
}

}  // namespace overlane::runner
