#include "scenarios/search/load_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/load_search/search_json.h"
#include "results/model/run_environment.h"
#include "results/model/run_report_json.h"
#include "results/report/text.h"

namespace overlane::load_search {
namespace {

using search::GoalResult;
using Json = nlohmann::ordered_json;

constexpr int kLoadReportVersion = 1;

/// What a variant found for a goal; null if it was not searched.
const GoalResult* result_of(const VariantLoads& variant, std::size_t goal) {
  return variant.found ? &variant.found->goals[goal] : nullptr;
}

const VariantLoads* baseline_of(const LoadReport& report) {
  const auto found = std::ranges::find(report.variants, report.baseline, &VariantLoads::name);
  return found == report.variants.end() ? nullptr : &*found;
}

Json encode_variant(const VariantLoads& variant) {
  Json json{{"name", variant.name}, {"status", to_string(variant.status)}};
  if (!variant.reason.empty()) json["reason"] = variant.reason;
  if (variant.found) json.update(search::encode(*variant.found));
  return json;
}

Json encode_comparison(const LoadReport& report) {
  Json all = Json::array();
  for (std::size_t goal = 0; goal < report.goals.size(); ++goal) {
    for (const VariantLoads& variant : report.variants) {
      if (variant.name == report.baseline) continue;
      const auto ratio = report.ratio_ppm(variant, goal);
      Json one{{"goal", report.goals[goal].name},
               {"variant", variant.name},
               {"baseline", report.baseline},
               {"ratio", nullptr}};
      if (ratio) one["ratio"] = static_cast<double>(*ratio) / 1e6;
      all.push_back(std::move(one));
    }
  }
  return all;
}

/// A cell of a variant and goal, or an empty one.
template <typename Text>
std::vector<std::string> cells(const LoadReport& report, std::size_t goal, const Text& text) {
  std::vector<std::string> row;
  for (const VariantLoads& variant : report.variants) {
    const GoalResult* result = result_of(variant, goal);
    row.push_back(result == nullptr ? std::string() : text(variant, *result));
  }
  return row;
}

std::string load_text(std::optional<std::int64_t> load) {
  return load ? report::count_text(*load) : "";
}

void add_goal(report::ColumnTable& table, const LoadReport& report, std::size_t goal) {
  const auto row = [&](std::string label, const auto& text) {
    table.row(std::move(label), cells(report, goal, text));
  };
  table.heading(fmt::format("{}: at most {:.4g} % of the datagrams lost", report.goals[goal].name,
                            report.goals[goal].loss_ratio * 100));
  row("packets/s", [](const VariantLoads&, const GoalResult& result) {
    if (!result.conditional_throughput) return std::string();
    // An irregular result is marked: it is no more than a hint.
    return (result.ending == search::Ending::Regular ? "" : "? ") +
           report::count_text(std::llround(*result.conditional_throughput));
  });
  row("payload", [&](const VariantLoads&, const GoalResult& result) {
    if (!result.conditional_throughput) return std::string();
    return report::rate_text(report.payload_bps(*result.conditional_throughput));
  });
  if (report.variants.size() > 1) {
    row("against " + report.baseline, [&](const VariantLoads& variant, const GoalResult&) {
      if (variant.name == report.baseline) return std::string("baseline");
      const auto ratio = report.ratio_ppm(variant, goal);
      return ratio ? report::change_text(*ratio) : std::string();
    });
  }
  row("lower bound",
      [](const VariantLoads&, const GoalResult& result) { return load_text(result.lower_bound); });
  row("upper bound",
      [](const VariantLoads&, const GoalResult& result) { return load_text(result.upper_bound); });
}

/// Variants without a result, and why results are irregular, each reason once.
std::string notes(const LoadReport& report) {
  std::string text;
  std::vector<std::pair<std::string, std::string>> irregular;  // The reason and its results.
  for (const VariantLoads& variant : report.variants) {
    if (!variant.found) {
      text += report::wrapped_line(
          fmt::format("  {} ({}): ", variant.name, to_string(variant.status)), variant.reason);
      continue;
    }
    for (const GoalResult& result : variant.found->goals) {
      const std::string why = search::irregularity(result, report.range);
      if (why.empty()) continue;
      const std::string name = fmt::format("{} of {}", result.goal.name, variant.name);
      const auto same =
          std::ranges::find(irregular, why, &std::pair<std::string, std::string>::first);
      if (same == irregular.end()) {
        irregular.emplace_back(why, name);
      } else {
        same->second += ", " + name;
      }
    }
  }
  for (const auto& [why, names] : irregular)
    text += report::wrapped_line("  irregular: ", names + ": " + why);
  return text;
}

}  // namespace

std::optional<std::int64_t> LoadReport::ratio_ppm(const VariantLoads& variant,
                                                  std::size_t goal) const {
  const VariantLoads* reference = baseline_of(*this);
  if (reference == nullptr) return std::nullopt;
  const GoalResult* before = result_of(*reference, goal);
  const GoalResult* after = result_of(variant, goal);
  for (const GoalResult* one : {before, after})
    if (one == nullptr || one->ending != search::Ending::Regular) return std::nullopt;
  if (*before->conditional_throughput <= 0) return std::nullopt;
  return std::llround(1e6 * *after->conditional_throughput / *before->conditional_throughput);
}

std::int64_t LoadReport::payload_bps(double packets_per_second) const {
  return std::llround(packets_per_second * static_cast<double>(payload_bytes * 8));
}

nlohmann::ordered_json encode(const LoadReport& report) {
  Json json{{"schema_version", kLoadReportVersion},
            {"kind", "LoadReport"},
            {"scenario", report.scenario},
            {"traffic", report.traffic},
            {"flows", report.flows},
            {"payload_bytes", report.payload_bytes},
            {"seeds", report.seeds},
            {"min_pps", report.range.min},
            {"max_pps", report.range.max},
            {"baseline", report.baseline},
            {"variants", Json::array()},
            {"comparison", encode_comparison(report)},
            {"assumptions", Json::array()},
            {"cost_profile", report.cost_profile},
            {"environment", model::encode(report.environment)},
            {"findings", overlane::encode(report.findings)}};
  for (const VariantLoads& variant : report.variants)
    json["variants"].push_back(encode_variant(variant));
  for (const model::Assumption& assumption : report.assumptions)
    json["assumptions"].push_back(model::encode(assumption));
  return json;
}

std::string load_table(const LoadReport& report, report::Style style) {
  std::vector<std::string> names;
  for (const VariantLoads& variant : report.variants)
    names.push_back(variant.name);
  report::ColumnTable table(names);
  for (std::size_t goal = 0; goal < report.goals.size(); ++goal)
    add_goal(table, report, goal);
  table.heading("search");
  table.row("trials", [&] {
    std::vector<std::string> row;
    for (const VariantLoads& variant : report.variants)
      row.push_back(variant.found ? report::count_text(
                                        static_cast<std::int64_t>(variant.found->trial_count()))
                                  : "");
    return row;
  }());
  std::string text = table.to_string(style);
  if (const std::string irregular = notes(report); !irregular.empty()) text += "\n" + irregular;
  const search::Goal& goal = report.goals.front();
  text += "\n" +
          report::wrapped(
              "  ",
              fmt::format("{} of {}: {}, datagrams of {} bytes; up to {} of {} at a load, one for "
                          "each seed from {}; loads from {} to {} packets/s; cost profile {}.",
                          report.traffic, report.scenario,
                          report::counted_text(static_cast<std::uint64_t>(report.flows), "flow"),
                          report.payload_bytes, report::counted_text(report.seeds.size(), "trial"),
                          report::duration_text(goal.trial.whole_nanoseconds()),
                          report.seeds.front(), report::count_text(report.range.min),
                          report::count_text(report.range.max), report.cost_profile),
              report::terminal_width());
  return text;
}

}  // namespace overlane::load_search
