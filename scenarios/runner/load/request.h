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

/// Hooks into a run in progress. Null: none.
struct Steering {
  /// Gets the estimate of the run before it starts.
  std::function<void(const Forecast&)> forecast;
  /// Once true, what is being simulated ends, and nothing more begins.
  const std::atomic<bool>* stop = nullptr;
  Progress* progress = nullptr;  ///< Gets the progress of the run.
};

/// What to count over time.
struct SeriesRequest {
  std::optional<Picos> interval;  ///< Above zero; by default a 50th of the duration.
  bool each_node = false;
};

/// Where packets are captured.
enum class CapturePlace : std::uint8_t { Wire, Pod };

/// Which packets to show, of the first repetition of each variant.
struct PacketRequest {
  std::string flow;                  ///< What choose_flow() takes; empty: none is traced.
  std::size_t trace_limit = 10'000;  ///< Lines for each variant.
  std::string pcap_file;             ///< Empty: nothing is captured. The traced flow, or a sample.
  CapturePlace pcap_place = CapturePlace::Wire;
  std::uint32_t pcap_sample = 1;     ///< One flow in so many, and the first of each traffic.
  std::int64_t pcap_limit = 10'000;  ///< Packets in each file.

  bool any() const { return !flow.empty() || !pcap_file.empty(); }
};

/// Which figures are explained by moving the constants of a run, to see what they are worth.
enum class Why : std::uint8_t {
  Nothing,
  Goodput,  ///< The constants behind each limit.
  Latency,  ///< And of each traffic's latency, all constants of the run.
  Cpu,      ///< And of the nodes' CPU use, the costs of the stages.
  All,
};

/// The arguments of `overlane run`.
struct Request {
  std::vector<std::string> paths;  ///< One Scenario file, or manifests (files, folders, "-").
  SubjectOptions subject;
  std::optional<std::uint64_t> seed;         ///< Wins over the scenario's; 1 when neither says.
  std::optional<std::uint32_t> repetitions;  ///< At least 1; wins over the scenario's.
  std::uint32_t threads = 0;            ///< 0: as many as there are cores. Never changes a result.
  std::int64_t max_events = INT64_MAX;  ///< Of each run; one that takes them all ends early.
  /// Of the whole program: fewer runs go on at once, and when not even one fits, none.
  std::optional<Bytes> max_memory;
  std::optional<Bytes> available_memory;  ///< Of the machine; what surely needs more is refused.
  std::optional<SeriesRequest> series;
  PacketRequest packets;
  Why why = Why::Nothing;
  model::Environment environment;
  Steering steering;
};

/// Of every random stream of a run.
inline std::uint64_t seed_of(const Request& request, const spec::Scenario& scenario) {
  constexpr std::uint64_t kDefault = 1;
  return request.seed.value_or(scenario.seed.value_or(kDefault));
}

}  // namespace overlane::runner
