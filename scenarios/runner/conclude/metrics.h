#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "results/model/run_report.h"

namespace overlane::runner {

/// A figure of a traffic group that is compared between variants and repetitions, with its name in
/// the report.
struct Metric {
  std::string_view name;
  std::int64_t (*value)(const model::TrafficResult&);
  bool zero_is_none = false;  ///< Zero means that nothing arrived (latencies).
};

inline constexpr std::array kMetrics = {
    Metric{"throughput_bps", [](const model::TrafficResult& t) { return t.throughput_bps; }},
    Metric{"goodput_bps", [](const model::TrafficResult& t) { return t.goodput_bps; }},
    Metric{"latency_ns.p50",
           [](const model::TrafficResult& t) { return t.latency_ns.quantile(1, 2); }, true},
    Metric{"latency_ns.p99",
           [](const model::TrafficResult& t) { return t.latency_ns.quantile(99, 100); }, true},
};

}  // namespace overlane::runner
