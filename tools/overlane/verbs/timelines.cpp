#include "tools/overlane/verbs/timelines.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/formats/trace_events.h"
#include "scenarios/migration/outages/outages.h"

namespace overlane::command {
namespace {

using Values = std::vector<std::pair<std::string, double>>;

double microseconds_of(Picos time) {
  return static_cast<double>(time.whole_nanoseconds()) / 1e3;
}

/// Adds the number of interrupted pairs at each time at which it changes.
void add_interrupted(const std::vector<migration::Outage>& outages, report::TraceEvents& trace) {
  std::map<Picos, std::int64_t> changes{{Picos{}, 0}};
  for (const migration::Outage& outage : outages) {
    ++changes[outage.begin];
    if (outage.end) --changes[*outage.end];
  }
  std::int64_t interrupted = 0;
  for (const auto& [at, change] : changes) {
    interrupted += change;
    trace.counter("interrupted pairs of nodes", microseconds_of(at),
                  {{"pairs", static_cast<double>(interrupted)}});
  }
}

/// Adds a counter of a series: the values of each interval, from its begin on.
template <typename ValuesAt>
void add_counter(const std::string& name, const model::Series& series, report::TraceEvents& trace,
                 ValuesAt values_at) {
  std::int64_t begin_ns = 0;
  for (std::size_t i = 0; i < series.end_ns.size(); ++i) {
    const Values values = values_at(i);
    if (!values.empty()) trace.counter(name, static_cast<double>(begin_ns) / 1e3, values);
    begin_ns = series.end_ns[i];
  }
}

double at(const std::vector<std::int64_t>& values, std::size_t i) {
  return i < values.size() ? static_cast<double>(values[i]) : 0;
}

void add_traffic(const model::TrafficSeries& traffic, const model::Series& series,
                 report::TraceEvents& trace) {
  add_counter(traffic.name + ": goodput, bit/s", series, trace, [&](std::size_t i) -> Values {
    return {{"goodput", at(traffic.goodput_bps, i)}};
  });
  add_counter(traffic.name + ": packets", series, trace, [&](std::size_t i) -> Values {
    return {{"sent", at(traffic.sent, i)}, {"delivered", at(traffic.delivered, i)}};
  });
  add_counter(traffic.name + ": dropped packets", series, trace, [&](std::size_t i) {
    Values values;
    for (const auto& [reason, counts] : traffic.drops)
      values.emplace_back(to_string(reason), at(counts, i));
    return values;
  });
}

void add_nodes(const model::NodeSeries& nodes, const std::string& name, const model::Series& series,
               report::TraceEvents& trace) {
  constexpr double kPpmPerPercent = 1e4;
  if (!nodes.cpu_ppm.empty())
    add_counter(name + ": CPU use, %", series, trace, [&](std::size_t i) {
      Values values{{"mean", at(nodes.cpu_ppm, i) / kPpmPerPercent}};
      if (!nodes.cpu_max_ppm.empty())
        values.emplace_back("busiest", at(nodes.cpu_max_ppm, i) / kPpmPerPercent);
      return values;
    });
  add_counter(name + ": longest queues, packets", series, trace, [&](std::size_t i) -> Values {
    return {{"NIC", at(nodes.nic_packets, i)},
            {"receive ring", at(nodes.ring_packets, i)},
            {"port of the fabric", at(nodes.port_packets, i)}};
  });
}

}  // namespace

std::string migration_timeline(const migration::Evaluation& evaluation) {
  report::TraceEvents trace;
  for (const migration::StrategyResult& result : evaluation.strategies) {
    const migration::SwitchResult& course = result.course;
    trace.process(fmt::format("strategy {}: {}{}", result.strategy->name, to_string(result.worst()),
                              &result == &evaluation.best() ? " (recommended)" : ""));
    trace.slice("switch", result.strategy->summary, 0, microseconds_of(course.ended_at));
    for (const migration::Step& step : course.steps)
      trace.instant(step.component, step.what, microseconds_of(step.at));
    add_interrupted(course.outages, trace);
  }
  return trace.to_string();
}

std::string run_timeline(const model::RunReport& report) {
  report::TraceEvents trace;
  for (const model::VariantResult& variant : report.variants) {
    for (const model::Series& series : variant.series) {
      std::vector<std::string> names;
      for (const model::TrafficSeries& one : series.traffic)
        names.push_back(one.name);
      trace.process(fmt::format("variant {}: {}", variant.name, fmt::join(names, ", ")));
      for (const model::TrafficSeries& traffic : series.traffic)
        add_traffic(traffic, series, trace);
      add_nodes(series.nodes, "all nodes", series, trace);
      for (const model::NodeSeries& node : series.each_node)
        add_nodes(node, node.name, series, trace);
    }
  }
  return trace.to_string();
}

}  // namespace overlane::command
