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

// The arguments of a run. Request has the options of `overlane run`; Steering lets the caller
// follow and stop the run.

class Progress;
struct Forecast;

/// Hooks of the caller into a running simulation. Each may be null or empty.
struct Steering {
  /// Receives the estimate before the run starts.
  std::function<void(const Forecast&)> forecast;
  /// When true, running simulations end and no more start.
  const std::atomic<bool>* stop = nullptr;
  Progress* progress = nullptr;  ///< Receives the progress of the run.
};

/// Requested time series.
struct SeriesRequest {
  /// Length of an interval, above zero; default: a 50th of the duration.
  std::optional<Picos> interval;
  bool each_node = false;
};

/// The place where packets are captured.
enum class CapturePlace : std::uint8_t { Wire, Pod };

/// Requested traces and captures of the first repetition of each variant.
struct PacketRequest {
  std::string flow;                  ///< A selector of choose_flow(); empty: no trace.
  std::size_t trace_limit = 10'000;  ///< Maximum number of lines for each variant.
  std::string pcap_file;  ///< Capture of the traced flow, or of a sample; empty: no capture.
  CapturePlace pcap_place = CapturePlace::Wire;
  /// Every n-th flow and the first flow of each traffic group are captured.
  std::uint32_t pcap_sample = 1;
  std::int64_t pcap_limit = 10'000;  ///< Maximum number of packets in each file.

  bool any() const { return !flow.empty() || !pcap_file.empty(); }
};

/// The figures that get a sensitivity analysis. Each entry after Goodput includes Goodput.
enum class Why : std::uint8_t {
  Nothing,
  Goodput,  ///< Goodput, for the constants of each bottleneck.
  Latency,  ///< Also the latency of each traffic group, for all constants of the run.
  Cpu,      ///< Also the CPU use of the nodes, for the costs of the stages.
  All,
};

/// Whether comparisons get ranges over the hosts behind a cost profile that is a mean. For the
/// ranges, each variant also runs with the costs of each host.
enum class CostRanges : std::uint8_t {
  None,
  IfShort,  ///< Only if the runs are short; otherwise a note says that there are no ranges.
  Always,
};

/// The arguments of `overlane run`.
struct Request {
  std::vector<std::string> paths;  ///< One Scenario file, or manifests (files, folders, "-").
  SubjectOptions subject;
  std::optional<std::uint64_t> seed;         ///< Overrides the scenario's; default 1.
  std::optional<std::uint32_t> repetitions;  ///< At least 1; overrides the scenario's.
  std::uint32_t threads = 0;  ///< 0: one per core. The number does not change results.
  /// Maximum number of events per run; a run that reaches it ends early.
  std::int64_t max_events = INT64_MAX;
  /// run::RunOptions::fast; false: the scenario decides.
  bool fast = false;
  /// Memory limit of the whole program. It limits the number of parallel runs; an error if a single
  /// run needs more.
  std::optional<Bytes> max_memory;
  std::optional<Bytes> available_memory;  ///< Available memory of the machine; an error if a run
                                          ///< certainly needs more.
  std::optional<SeriesRequest> series;
  PacketRequest packets;
  Why why = Why::Nothing;
  CostRanges ranges = CostRanges::None;
  bool show_steps = false;  ///< Whether to fill in VariantResult::steps.
  model::Environment environment;
  Steering steering;
};

/// Returns the seed of all random streams.
inline std::uint64_t seed_of(const Request& request, const spec::Scenario& scenario) {
  constexpr std::uint64_t kDefault = 1;
  return request.seed.value_or(scenario.seed.value_or(kDefault));
}

}  // namespace overlane::runner
