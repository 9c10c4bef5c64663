#include "results/report/run_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "results/model/run_report.h"
#include "results/report/column_table.h"
#include "results/report/run_document.h"
#include "results/report/run_effects.h"
#include "results/report/text.h"

namespace overlane::report {

namespace {

using model::CpuCost;
using model::RunReport;
using model::TrafficResult;
using model::VariantResult;
using VariantText = std::function<std::string(const VariantResult&)>;

std::tm utc_of(std::int64_t unix_ms) {
  return fmt::gmtime(static_cast<std::time_t>(unix_ms / 1000));
}

/// One cell per variant.
std::vector<std::string> cells(const RunReport& report, const VariantText& text) {
  std::vector<std::string> row;
  std::ranges::transform(report.variants, std::back_inserter(row), text);
  return row;
}

void add_dataplane(ColumnTable& table, const RunReport& report) {
  using model::VariantDataplane;
  const auto row = [&](const char* label, auto text) {
    table.row(label, cells(report, [&](const VariantResult& variant) {
                return variant.dataplane ? std::string(text(*variant.dataplane)) : std::string();
              }));
  };
  table.heading("dataplane");
  table.row("status",
            cells(report, [](const VariantResult& v) { return std::string(to_string(v.status)); }));
  row("mode", [](const VariantDataplane& d) { return d.mode; });
  row("encapsulation", [](const VariantDataplane& d) {
    return d.cross_subnet ? d.encapsulation + ", cross-subnet" : d.encapsulation;
  });
  const auto is_encrypted = [](const VariantResult& variant) {
    return variant.dataplane && variant.dataplane->encryption != "none";
  };
  if (std::ranges::any_of(report.variants, is_encrypted))
    row("encryption", [](const VariantDataplane& d) { return d.encryption; });
  row("routes by", [](const VariantDataplane& d) { return d.routes_by; });
  row("services by", [](const VariantDataplane& d) { return d.service_routing; });
  row("link MTU", [](const VariantDataplane& d) { return fmt::format("{} B", d.link_mtu); });
  row("pod MTU", [](const VariantDataplane& d) { return fmt::format("{} B", d.pod_mtu); });
  row("overhead",
      [](const VariantDataplane& d) { return fmt::format("{} B/packet", d.overhead_bytes); });
}

bool has_run(const VariantResult& variant) {
  return !variant.traffic.empty();
}

void add_nodes(ColumnTable& table, const RunReport& report) {
  if (std::ranges::none_of(report.variants, has_run)) return;
  const auto row = [&](const char* label, std::int64_t model::CpuUtilisation::*part) {
    table.row(label, cells(report, [&](const VariantResult& v) {
                if (!has_run(v)) return std::string();
                return cpu_time_is_free(report) ? "not counted"
                                                : percent_text(v.cpu_utilisation.*part);
              }));
  };
  table.heading("nodes");
  row("CPU busy, mean node", &model::CpuUtilisation::mean_ppm);
  row("CPU busy, busiest node", &model::CpuUtilisation::max_ppm);
}

const TrafficResult* find(const VariantResult& variant, const std::string& name) {
  const auto found = std::ranges::find(variant.traffic, name, &TrafficResult::name);
  return found == variant.traffic.end() ? nullptr : &*found;
}

/// A row of a traffic group: a label and the text of a result. With `only_some`, the row is omitted
/// if no variant has a value.
struct TrafficRow {
  const char* label;
  std::string (*text)(const TrafficResult&);
  /// Name of the metric in the repeated figures, and the format of its interval.
  const char* metric = nullptr;
  std::string (*amount)(std::int64_t) = nullptr;
  bool only_some = false;
};

template <model::Histogram TrafficResult::*histogram, std::int64_t numerator,
          std::int64_t denominator>
std::string quantile(const TrafficResult& result) {
  if ((result.*histogram).count() == 0) return "";
  return duration_text((result.*histogram).quantile(numerator, denominator));
}

/// A percentile of the flows' longest interruptions.
std::string interruption_text(const TrafficResult& result, std::int64_t percent) {
  if (!result.interruptions || result.interruptions->interrupted == 0) return "";
  return duration_text(result.interruptions->longest_ns.quantile(percent, 100));
}

/// A number of packets. Empty for streams on a kernel, where only datagrams are counted in packets.
std::string packets_text(const TrafficResult& result, std::int64_t count) {
  return result.packets.sent == 0 && result.goodput_bps > 0 ? "" : count_text(count);
}

/// The CPU cost of a result: streams per GB, messages per message.
std::string cpu_text(const TrafficResult& result, std::int64_t CpuCost::*part) {
  const bool is_shown =
      (result.kind == model::TrafficKind::Tcp) == (part != &CpuCost::ns_per_message);
  return is_shown && result.cpu && (*result.cpu).*part > 0 ? duration_text((*result.cpu).*part)
                                                           : "";
}

constexpr std::array kTrafficRows = {
    TrafficRow{.label = "throughput",
               .text =
                   [](const TrafficResult& r) {
                     // The throughput on a kernel is not measured.
                     return r.throughput_bps < r.goodput_bps ? "" : rate_text(r.throughput_bps);
                   },
               .metric = "throughput_bps",
               .amount = rate_text,
               .only_some = true},
    TrafficRow{"goodput", [](const TrafficResult& r) { return rate_text(r.goodput_bps); },
               "goodput_bps", rate_text},
    TrafficRow{"latency p50", quantile<&TrafficResult::latency_ns, 50, 100>, "latency_ns.p50",
               duration_text},
    TrafficRow{"latency p99", quantile<&TrafficResult::latency_ns, 99, 100>, "latency_ns.p99",
               duration_text},
    TrafficRow{.label = "transactions",
               .text =
                   [](const TrafficResult& r) {
                     return r.transactions == 0 ? std::string() : count_text(r.transactions);
                   },
               .only_some = true},
    TrafficRow{.label = "connections/s",
               .text =
                   [](const TrafficResult& r) {
                     return r.connections_per_second ? count_text(*r.connections_per_second)
                                                     : std::string();
                   },
               .metric = model::kConnections.data(),
               .amount = count_text,
               .only_some = true},
    TrafficRow{.label = "completion p50",
               .text = quantile<&TrafficResult::completion_ns, 50, 100>,
               .only_some = true},
    TrafficRow{.label = "completion p99",
               .text = quantile<&TrafficResult::completion_ns, 99, 100>,
               .only_some = true},
    TrafficRow{.label = "flows interrupted",
               .text =
                   [](const TrafficResult& r) {
                     return r.interruptions ? fmt::format("{} of {}", r.interruptions->interrupted,
                                                          r.interruptions->flows)
                                            : std::string();
                   },
               .only_some = true},
    TrafficRow{.label = "  not resumed",
               .text =
                   [](const TrafficResult& r) {
                     return r.interruptions && r.interruptions->interrupted > 0
                                ? count_text(r.interruptions->not_resumed)
                                : std::string();
                   },
               .only_some = true},
    TrafficRow{.label = "  longest, p50",
               .text = [](const TrafficResult& r) { return interruption_text(r, 50); },
               .only_some = true},
    TrafficRow{.label = "  longest, max",
               .text = [](const TrafficResult& r) { return interruption_text(r, 100); },
               .only_some = true},
    TrafficRow{.label = "packets sent",
               .text = [](const TrafficResult& r) { return packets_text(r, r.packets.sent); },
               .only_some = true},
    TrafficRow{.label = "in flight at end",
               .text = [](const TrafficResult& r) { return packets_text(r, r.packets.in_flight); },
               .only_some = true},
    TrafficRow{.label = "dropped",
               .text = [](const TrafficResult& r) { return packets_text(r, r.packets.dropped); },
               .only_some = true},
    TrafficRow{.label = "CPU per GB, user",
               .text = [](const TrafficResult& r) { return cpu_text(r, &CpuCost::user_ns_per_gb); },
               .only_some = true},
    TrafficRow{
        .label = "CPU per GB, system",
        .text = [](const TrafficResult& r) { return cpu_text(r, &CpuCost::system_ns_per_gb); },
        .only_some = true},
    TrafficRow{
        .label = "CPU per GB, softirq",
        .text = [](const TrafficResult& r) { return cpu_text(r, &CpuCost::softirq_ns_per_gb); },
        .only_some = true},
    TrafficRow{.label = "CPU per message",
               .text = [](const TrafficResult& r) { return cpu_text(r, &CpuCost::ns_per_message); },
               .only_some = true},
};

/// "± 3.0 Mbit/s": the confidence interval of a figure of a repeated run; otherwise empty.
std::string interval_text(const TrafficRow& row, const TrafficResult& result) {
  for (const model::RepeatedFigure& figure : result.repeated) {
    if (row.metric == nullptr || figure.metric != row.metric) continue;
    const auto interval = model::mean_interval(figure.values);
    if (interval) return "± " + row.amount(static_cast<std::int64_t>(interval->half_width + 0.5));
  }
  return "";
}

void add_row(ColumnTable& table, const RunReport& report, const std::string& name,
             const std::string& label, const std::function<std::string(const TrafficResult&)>& text,
             bool only_if_any) {
  const std::vector<std::string> row = cells(report, [&](const VariantResult& variant) {
    const TrafficResult* result = find(variant, name);
    return result == nullptr ? std::string() : text(*result);
  });
  const auto empty = [](const std::string& cell) { return cell.empty(); };
  if (!only_if_any || !std::ranges::all_of(row, empty)) table.row(label, row);
}

void add_drops(ColumnTable& table, const RunReport& report, const std::string& name) {
  for (const DropFacts& reason : kDrops) {
    const auto count = [&](const VariantResult& variant) -> std::string {
      const TrafficResult* result = find(variant, name);
      if (result == nullptr || result->drops[reason.drop] == 0) return "";
      return count_text(result->drops[reason.drop]);
    };
    const std::vector<std::string> row = cells(report, count);
    const auto seen = [](const std::string& cell) { return !cell.empty(); };
    if (std::ranges::any_of(row, seen)) table.row(fmt::format("  {}", reason.name), row);
  }
}

/// Adds one row per (metric, baseline) in the comparison of this traffic, in its order.
void add_comparison(ColumnTable& table, const RunReport& report, const std::string& name) {
  std::vector<std::pair<std::string, std::string>> done;
  for (const model::Comparison& first : report.comparison) {
    const std::pair key{first.metric, first.baseline};
    if (first.traffic != name || std::ranges::find(done, key) != done.end()) continue;
    done.push_back(key);
    table.row(fmt::format("{} against {}", metric_label(first.metric), first.baseline),
              cells(report, [&](const VariantResult& variant) -> std::string {
                if (variant.name == first.baseline) return "baseline";
                for (const model::Comparison& entry : report.comparison) {
                  if (entry.traffic == name && entry.metric == first.metric &&
                      entry.baseline == first.baseline && entry.variant == variant.name)
                    return change_text(entry);
                }
                return "";
              }));
  }
}

/// The predictions of the simulator, and their distance from the measured values.
void add_predictions(ColumnTable& table, const RunReport& report, const std::string& name) {
  const auto cell = [&](const VariantResult& variant, auto text) {
    for (const model::Prediction& one : report.predictions)
      if (one.traffic == name && one.variant == variant.name) return std::string(text(one));
    return std::string();
  };
  const auto first = std::ranges::find(report.predictions, name, &model::Prediction::traffic);
  if (first == report.predictions.end()) return;
  table.row("predicted " + metric_label(first->metric),
            cells(report, [&](const VariantResult& variant) {
              return cell(variant, [](const model::Prediction& one) {
                return one.metric == "goodput_bps" ? rate_text(one.predicted)
                                                   : duration_text(one.predicted);
              });
            }));
  table.row("  error", cells(report, [&](const VariantResult& variant) {
              return cell(variant, [](const model::Prediction& one) {
                return one.measured == 0 ? std::string()
                                         : change_text(static_cast<std::int64_t>(
                                               1e6 * static_cast<double>(one.predicted) /
                                               static_cast<double>(one.measured)));
              });
            }));
}

/// "+3.1 %", or "× 774" for a difference of orders of magnitude.
std::string difference_text(double ratio) {
  constexpr double kMany = 10;
  return ratio < kMany ? change_text(std::llround(1e6 * ratio)) : fmt::format("× {:.0f}", ratio);
}

/// Values that other programs measured, and their distance from this program's.
void add_cross_checks(ColumnTable& table, const RunReport& report, const std::string& name) {
  const auto of = [&](const VariantResult& variant) {
    return std::ranges::find_if(report.cross_checks, [&](const model::CrossCheck& one) {
      return one.traffic == name && one.variant == variant.name;
    });
  };
  const auto first = std::ranges::find(report.cross_checks, name, &model::CrossCheck::traffic);
  if (first == report.cross_checks.end()) return;
  table.row(fmt::format("{} by {}", metric_label(first->metric), first->program),
            cells(report, [&](const VariantResult& variant) -> std::string {
              const auto one = of(variant);
              if (one == report.cross_checks.end()) return "";
              return one->metric == "goodput_bps" ? rate_text(one->value)
                                                  : duration_text(one->value);
            }));
  table.row("  difference", cells(report, [&](const VariantResult& variant) -> std::string {
              const auto one = of(variant);
              const TrafficResult* own = find(variant, name);
              if (one == report.cross_checks.end() || own == nullptr) return "";
              for (const model::TrafficFigure& figure : model::kTrafficFigures)
                if (figure.name == one->metric && figure.value(*own) != 0)
                  return difference_text(static_cast<double>(one->value) /
                                         static_cast<double>(figure.value(*own)));
              return "";
            }));
}

/// The traffic groups of all variants, in order of first appearance.
std::vector<std::string> traffic_names(const RunReport& report) {
  std::vector<std::string> names;
  for (const VariantResult& variant : report.variants) {
    for (const TrafficResult& result : variant.traffic) {
      if (std::ranges::find(names, result.name) == names.end()) names.push_back(result.name);
    }
  }
  return names;
}

void add_traffic(ColumnTable& table, const RunReport& report, const std::string& name) {
  for (const VariantResult& variant : report.variants) {
    if (const TrafficResult* result = find(variant, name)) {
      table.heading(fmt::format(
          "traffic {} ({}{}{})", name, to_string(result->kind),
          result->kind == model::TrafficKind::Tcp ? "; latency with a full window queued" : "",
          stays_in_one_zone(report, name) ? "; one zone" : ""));
      break;
    }
  }
  for (const TrafficRow& row : kTrafficRows) {
    add_row(table, report, name, row.label, row.text, row.only_some);
    const auto interval = [&](const TrafficResult& result) { return interval_text(row, result); };
    add_row(table, report, name, "  with 95 % confidence", interval, true);
  }
  add_drops(table, report, name);
  add_comparison(table, report, name);
  add_predictions(table, report, name);
  add_cross_checks(table, report, name);
}

}  // namespace

std::string commit_text(const model::SuiteRun& run) {
  constexpr std::size_t kShort = 12;
  const std::string& commit = run.environment.commit;
  return commit.substr(0, kShort) + (commit.ends_with("-dirty") ? "-dirty" : "");
}

std::string date_text(const model::SuiteRun& run) {
  return fmt::format("{:%Y-%m-%d}", utc_of(run.started_ms));
}

std::string time_text(const model::SuiteRun& run) {
  return time_text(run.started_ms);
}

std::string time_text(std::int64_t unix_ms) {
  return fmt::format("{:%Y-%m-%d %H:%M}", utc_of(unix_ms));
}

answer::Table run_figures(const RunReport& report) {
  ColumnTable table(cells(report, [](const VariantResult& variant) { return variant.name; }));
  add_dataplane(table, report);
  for (const std::string& name : traffic_names(report))
    add_traffic(table, report, name);
  add_nodes(table, report);
  return table.to_table();
}

}  // namespace overlane::report
