#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "scenarios/calibrate/calibration_report.h"

namespace overlane::calibrate {
namespace {

using model::TrafficKind;

/// Figures closer than this count as equal.
constexpr double kTooClose = 0.05;

struct MarginFacts {
  MarginKind kind;
  std::string_view name;
  double fitted;   ///< For rows of use `fit`.
  double checked;  ///< For rows of use `check`.
};
constexpr std::array kMargins = {
    MarginFacts{MarginKind::Throughput, "throughput", 0.15, 0.25},
    MarginFacts{MarginKind::RequestResponse, "request-response", 0.10, 0.20},
    MarginFacts{MarginKind::CpuPerTransaction, "CPU per transaction", 0.20, 0.20},
};

std::vector<Margin> judge_margins(const CalibrationReport& report) {
  std::vector<Margin> margins;
  for (const MarginFacts& facts : kMargins) {
    for (const Use use : {Use::Fit, Use::Check}) {
      Margin margin{.kind = facts.kind,
                    .use = use,
                    .allowed = use == Use::Fit ? facts.fitted : facts.checked};
      for (const RowResult& result : report.rows) {
        const Row& row = report.table.rows[result.row];
        for (std::size_t f = 0; row.use == use && f < row.figures.size(); ++f) {
          if (margin_of(row.figures[f].quantity) != facts.kind) continue;
          ++margin.figures;
          margin.mean_error += std::abs(error_of(row.figures[f], result.predicted[f]));
        }
      }
      if (margin.figures == 0) continue;
      margin.mean_error /= static_cast<double>(margin.figures);
      margins.push_back(margin);
    }
  }
  return margins;
}

/// A row's measured and predicted rate, by which rows are ordered; nothing if it has none.
struct Rate {
  double measured;
  double predicted;
};
std::optional<Rate> rate_of(const CalibrationReport& report, const RowResult& result) {
  const Row& row = report.table.rows[result.row];
  for (std::size_t f = 0; f < row.figures.size(); ++f) {
    const Quantity quantity = row.figures[f].quantity;
    if (quantity == Quantity::Throughput || quantity == Quantity::Transactions)
      return Rate{row.figures[f].value, result.predicted[f]};
  }
  return std::nullopt;
}

std::string why_left_out(double measured, const Row& a, const Row& b) {
  const double distance = measured - 1;
  if (distance <= kTooClose) {
    return fmt::format("{:.1f} % apart, not more than 5 %", 100 * distance);
  }
  const double spread = std::max(a.spread, b.spread);
  if (distance <= spread) {
    return fmt::format("{:.1f} % apart, not more than the table's own spread of {:.1f} %",
                       100 * distance, 100 * spread);
  }
  return "";
}

std::vector<Pair> judge_order(const CalibrationReport& report) {
  std::vector<Pair> pairs;
  const MeasurementTable& table = report.table;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    for (std::size_t j = i + 1; j < report.rows.size(); ++j) {
      const RowResult *ahead = &report.rows[i], *behind = &report.rows[j];
      const Row &a = table.rows[ahead->row], &b = table.rows[behind->row];
      if (table.system_of(a).family != table.system_of(b).family || a.kernel != b.kernel ||
          a.kind != b.kind || a.flows != b.flows) {
        continue;
      }
      const auto first = rate_of(report, *ahead), second = rate_of(report, *behind);
      if (!first || !second) continue;
      const bool swapped = first->measured < second->measured;
      const Rate &more = swapped ? *second : *first, &less = swapped ? *first : *second;
      if (swapped) std::swap(ahead, behind);
      const double measured = more.measured / less.measured;
      pairs.push_back({.ahead = ahead->row,
                       .behind = behind->row,
                       .measured = measured,
                       .predicted = more.predicted / less.predicted,
                       .left_out = why_left_out(measured, a, b)});
    }
  }
  return pairs;
}

std::vector<Ratio> judge_ratios(const CalibrationReport& report) {
  std::vector<Ratio> ratios;
  const auto result_of = [&](std::size_t row) {
    return std::ranges::find(report.rows, row, &RowResult::row);
  };
  for (const RatioRows& rows : ratio_rows(report.table)) {
    const auto mine = result_of(rows.row), other = result_of(rows.baseline);
    if (mine == report.rows.end() || other == report.rows.end()) continue;
    const auto a = rate_of(report, *mine), b = rate_of(report, *other);
    if (!a || !b) continue;
    Ratio ratio{rows.row, rows.baseline, a->measured / b->measured, a->predicted / b->predicted,
                rows.within};
    if (report.table.rows[rows.row].kind == TrafficKind::RequestResponse) {
      ratio.measured = 1 / ratio.measured;  // Ratios of latencies, as published.
      ratio.predicted = 1 / ratio.predicted;
    }
    ratios.push_back(ratio);
  }
  return ratios;
}

}  // namespace

double error_of(const Figure& figure, double predicted) {
  return predicted / figure.value - 1;
}

std::optional<MarginKind> margin_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Throughput:
      return MarginKind::Throughput;
    case Quantity::Transactions:
      return MarginKind::RequestResponse;
    case Quantity::ClientCpu:
    case Quantity::ServerCpu:
      return MarginKind::CpuPerTransaction;
    case Quantity::ClientLoad:
    case Quantity::ServerLoad:
      break;
  }
  return std::nullopt;
}

std::string_view to_string(MarginKind kind) {
  return kMargins[static_cast<std::size_t>(kind)].name;
}

bool Ratio::met() const {
  return std::abs(predicted - measured) <= within;
}

Parsed<CalibrationReport> judge(const MeasurementTable& table, const HostModel& model,
                                std::uint32_t threads, const runner::TasksDone& progress) {
  const auto trials = make_trials(table, [](const Row& row) { return row.use != Use::LeftOut; });
  if (!trials) return fail(trials.error());
  std::vector<Question> questions;
  for (const Trial& trial : *trials)
    questions.push_back({&trial, &model});
  auto predictions = predict(questions, threads, progress);
  if (!predictions) return fail(predictions.error());

  CalibrationReport report{.table = table, .profile = model.costs.name, .model = model};
  for (std::size_t i = 0; i < trials->size(); ++i) {
    report.rows.push_back({static_cast<std::size_t>((*trials)[i].row - table.rows.data()),
                           std::move((*predictions)[i])});
  }
  report.margins = judge_margins(report);
  report.pairs = judge_order(report);
  report.ratios = judge_ratios(report);
  return report;
}

}  // namespace overlane::calibrate
