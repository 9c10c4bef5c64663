#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "results/model/run_report.h"

namespace overlane::model {

/// A figure of a traffic group that is compared between variants and repetitions, with its name in
/// the report.
struct TrafficFigure {
  std::string_view name;
  std::int64_t (*value)(const TrafficResult&);
  bool zero_is_none = false;  ///< Zero means that nothing arrived (latencies).
  /// Whether traffic has the figure at all; null: all traffic has it.
  bool (*applies)(const TrafficResult&) = nullptr;

  bool is_of(const TrafficResult& traffic) const { return applies == nullptr || applies(traffic); }
};

inline constexpr std::string_view kConnections = "connections_per_second";

inline constexpr std::array kTrafficFigures = {
    TrafficFigure{"throughput_bps", [](const TrafficResult& t) { return t.throughput_bps; }},
    TrafficFigure{"goodput_bps", [](const TrafficResult& t) { return t.goodput_bps; }},
    TrafficFigure{"latency_ns.p50",
                  [](const TrafficResult& t) { return t.latency_ns.quantile(1, 2); }, true},
    TrafficFigure{"latency_ns.p99",
                  [](const TrafficResult& t) { return t.latency_ns.quantile(99, 100); }, true},
    TrafficFigure{
        .name = kConnections,
        .value = [](const TrafficResult& t) { return t.connections_per_second.value_or(0); },
        .applies = [](const TrafficResult& t) { return t.connections_per_second.has_value(); }},
};

/// The figure by which traffic of a kind is judged on a kernel: latency for requests, goodput for
/// all other.
constexpr std::string_view judged_figure(TrafficKind kind) {
  return kind == TrafficKind::RequestResponse ? "latency_ns.p50" : "goodput_bps";
}

/// The figure by which simulated traffic is judged: also the number of new connections, where it is
/// a result.
inline std::string_view judged_figure(const TrafficResult& traffic) {
  return traffic.connections_per_second ? kConnections : judged_figure(traffic.kind);
}

}  // namespace overlane::model
