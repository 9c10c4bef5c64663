#include "scenarios/calibrate/leave_one_out.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::calibrate {

namespace {

using model::TrafficKind;

bool is_encapsulated(const MeasurementTable& table, const MeasurementRow& row) {
  return table.system_of(row).encapsulation != Encapsulation::None;
}

/// The first figure that is a rate, by position.
std::optional<std::size_t> rate_figure(const MeasurementRow& row) {
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const Quantity quantity = row.figures[f].quantity;
    if (quantity == Quantity::Throughput || quantity == Quantity::Transactions) return f;
  }
  return std::nullopt;
}

std::string name_of(const MeasurementTable& table, const MeasurementRow& row) {
  return fmt::format("{}: {}", table.system_of(row).name, load_of(row));
}

/// Adds the ratios of an encapsulated row to the first row of each system without encapsulation
/// under the same load.
void add_ratios(Score& score, const CalibrationReport& report, const RowResult& result) {
  const MeasurementTable& table = report.table;
  const MeasurementRow& row = table.rows[result.row];
  const auto f = rate_figure(row);
  if (!f || !is_encapsulated(table, row)) return;
  std::vector<std::size_t> systems;
  for (const RowResult& other : report.rows) {
    const MeasurementRow& base = table.rows[other.row];
    const auto g = rate_figure(base);
    if (is_encapsulated(table, base) || !g || !have_equal_loads(row, base)) continue;
    if (std::ranges::find(systems, base.system) != systems.end()) continue;
    systems.push_back(base.system);
    const double predicted = result.predicted[*f] / other.predicted[*g];
    const Quantity quantity = row.figures[*f].quantity;
    score.figures.push_back({ScoredKind::OverlayRatio, table.name,
                             fmt::format("{} over {}: {}", table.system_of(row).name,
                                         table.system_of(base).name, load_of(row)),
                             row.figures[*f].value / base.figures[*g].value, predicted,
                             interval_of_ratio(predicted, result.drawn[*f], other.drawn[*g],
                                               std::hypot(result.expected_error(quantity),
                                                          other.expected_error(quantity)))});
  }
}

Score score_of(const CalibrationReport& report, Measured measured,
               const std::vector<std::size_t>& fitted) {
  Score score{.table = report.table.name, .measured = measured};
  for (const RowResult& result : report.rows) {
    add_ratios(score, report, result);
    if (std::ranges::find(fitted, result.row) != fitted.end()) continue;
    const MeasurementRow& row = report.table.rows[result.row];
    for (std::size_t f = 0; f < row.figures.size(); ++f) {
      const Quantity quantity = row.figures[f].quantity;
      const bool is_throughput = quantity == Quantity::Throughput;
      if (!is_throughput && quantity != Quantity::Transactions) continue;
      score.figures.push_back({is_throughput ? ScoredKind::Throughput : ScoredKind::Requests,
                               report.table.name, name_of(report.table, row), row.figures[f].value,
                               result.predicted[f], *result.interval(f, quantity)});
    }
  }
  for (const Pair& pair : report.pairs) {
    if (!pair.left_out.empty()) continue;
    ++score.pairs;
    score.right_pairs += pair.right();
  }
  return score;
}

}  // namespace

std::string_view to_string(Measured measured) {
  return measured == Measured::Nothing ? "nothing" : "two baseline rows";
}

std::string_view to_string(ScoredKind kind) {
  constexpr std::array<std::string_view, kScoredKinds> kNames = {"throughput", "requests",
                                                                 "overlay ratios"};
  return kNames[static_cast<std::size_t>(kind)];
}

Accuracy Score::accuracy(ScoredKind kind) const {
  Accuracy accuracy;
  for (const ScoredFigure& figure : figures) {
    if (figure.kind != kind) continue;
    ++accuracy.count;
    accuracy.mean_error += std::abs(figure.error());
    accuracy.within += figure.is_inside();
  }
  if (accuracy.count > 0) accuracy.mean_error /= static_cast<double>(accuracy.count);
  return accuracy;
}

namespace {

/// A stream above this share of the link's rate is limited by the link, whatever the hosts cost.
constexpr double kLinkLimited = 0.9;

bool is_limited_by_link(const MeasurementTable& table, const MeasurementRow& row) {
  const auto nic = table.hosts.machine.nic;
  return nic && !row.figures.empty() && row.figures.front().quantity == Quantity::Throughput &&
         row.figures.front().value >= kLinkLimited * static_cast<double>(nic->count);
}

}  // namespace

std::vector<std::size_t> baseline_rows(const MeasurementTable& table) {
  std::vector<std::size_t> rows;
  const auto add_first = [&](auto&& is_wanted) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const MeasurementRow& row = table.rows[i];
      if (row.use == Use::LeftOut || is_encapsulated(table, row) ||
          row.kernel != table.hosts.kernel || !is_wanted(row))
        continue;
      rows.push_back(i);
      return true;
    }
    return false;
  };
  const auto is = [](TrafficKind kind) {
    return [kind](const MeasurementRow& row) { return row.kind == kind; };
  };
  const bool tells_about_hosts = add_first([&](const MeasurementRow& row) {
    return row.kind == TrafficKind::Tcp && !is_limited_by_link(table, row);
  });
  if (!tells_about_hosts) add_first(is(TrafficKind::Tcp));
  add_first(is(TrafficKind::RequestResponse));
  if (rows.size() < 2) add_first(is(TrafficKind::Udp));
  return rows;
}

Parsed<Score> score(const MeasurementTable& table, const HostModel& others, Measured measured,
                    std::uint32_t threads) {
  MeasurementTable wanted = table;
  wanted.ratios.clear();
  std::vector<std::size_t> fitted;
  if (measured == Measured::Baseline) fitted = baseline_rows(table);
  for (std::size_t i = 0; i < wanted.rows.size(); ++i) {
    if (wanted.rows[i].use == Use::LeftOut) continue;
    const bool is_fitted = std::ranges::find(fitted, i) != fitted.end();
    wanted.rows[i].use = is_fitted ? Use::Fit : Use::Check;
  }
  HostModel model = others;
  std::optional<Fit> fit;
  if (measured == Measured::Baseline) {
    if (fitted.empty())
      return Score{
          .table = table.name, .measured = measured, .problem = "no row without encapsulation"};
    auto found = calibrate::fit(wanted, others, threads);
    if (!found) return fail(found.error());
    model = found->model;
    fit = *std::move(found);
  }
  const Knowledge knowledge =
      fit ? fit->knowledge : Knowledge::prior(HostParameters(wanted, others, {}).all());
  const auto report = judge(wanted, model, threads, {}, &knowledge);
  if (!report) return fail(report.error());
  return score_of(*report, measured, fitted);
}

Score total(const std::vector<Score>& scores, Measured measured) {
  Score sum{.table = std::string(kAllTables), .measured = measured};
  for (const Score& score : scores) {
    if (score.measured != measured) continue;
    sum.figures.insert(sum.figures.end(), score.figures.begin(), score.figures.end());
    sum.pairs += score.pairs;
    sum.right_pairs += score.right_pairs;
  }
  return sum;
}

nlohmann::ordered_json encode(const std::vector<Score>& scores) {
  using nlohmann::ordered_json;
  ordered_json json{{"schema_version", 1}, {"kind", "UnknownHostsReport"}};
  ordered_json& entries = json["scores"] = ordered_json::array();
  for (const Score& score : scores) {
    if (score.table == kAllTables) continue;
    ordered_json entry{{"table", score.table},
                       {"measured_before", to_string(score.measured)},
                       {"pairs", score.pairs},
                       {"right_pairs", score.right_pairs}};
    entry["problem"] = score.problem.empty() ? ordered_json() : ordered_json(score.problem);
    ordered_json& figures = entry["figures"] = ordered_json::array();
    for (const ScoredFigure& figure : score.figures)
      figures.push_back({{"kind", to_string(figure.kind)},
                         {"row", figure.row},
                         {"measured", figure.measured},
                         {"predicted", figure.predicted},
                         {"low", figure.interval.low},
                         {"high", figure.interval.high},
                         {"inside", figure.is_inside()}});
    entries.push_back(std::move(entry));
  }
  return json;
}

}  // namespace overlane::calibrate
