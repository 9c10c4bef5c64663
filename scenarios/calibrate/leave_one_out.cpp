#include "scenarios/calibrate/leave_one_out.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

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
    const double measured = row.figures[*f].value / base.figures[*g].value;
    const double predicted = result.predicted[*f] / other.predicted[*g];
    score.ratios.add(
        measured, predicted,
        interval_of_ratio(predicted, result.drawn[*f], other.drawn[*g], row.figures[*f].quantity));
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
      (is_throughput ? score.throughput : score.requests)
          .add(row.figures[f].value, result.predicted[f],
               interval_of(result.predicted[f], result.drawn[f], quantity));
    }
  }
  for (const Pair& pair : report.pairs) {
    if (!pair.left_out.empty()) continue;
    ++score.pairs;
    score.right_pairs += pair.right();
  }
  return score;
}

void add(Accuracy& sum, const Accuracy& one) {
  const std::size_t count = sum.count + one.count;
  if (count == 0) return;
  sum.mean_error = (sum.mean_error * static_cast<double>(sum.count) +
                    one.mean_error * static_cast<double>(one.count)) /
                   static_cast<double>(count);
  sum.count = count;
  sum.within += one.within;
}

}  // namespace

std::string_view to_string(Measured measured) {
  return measured == Measured::Nothing ? "nothing" : "two baseline rows";
}

void Accuracy::add(double measured, double predicted, const Interval& interval) {
  const auto before = static_cast<double>(count);
  mean_error = (mean_error * before + std::abs(predicted / measured - 1)) / (before + 1);
  ++count;
  within += interval.holds(measured);
}

std::vector<std::size_t> baseline_rows(const MeasurementTable& table) {
  std::vector<std::size_t> rows;
  const auto add_first = [&](auto&& is_wanted) {
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const MeasurementRow& row = table.rows[i];
      if (row.use == Use::LeftOut || is_encapsulated(table, row) ||
          row.kernel != table.hosts.kernel || !is_wanted(row))
        continue;
      rows.push_back(i);
      return;
    }
  };
  add_first([](const MeasurementRow& row) { return row.kind == TrafficKind::Tcp; });
  add_first([](const MeasurementRow& row) { return row.kind == TrafficKind::RequestResponse; });
  if (rows.size() < 2)
    add_first([](const MeasurementRow& row) { return row.kind == TrafficKind::Udp; });
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
    add(sum.throughput, score.throughput);
    add(sum.requests, score.requests);
    add(sum.ratios, score.ratios);
    sum.pairs += score.pairs;
    sum.right_pairs += score.right_pairs;
  }
  return sum;
}

}  // namespace overlane::calibrate
