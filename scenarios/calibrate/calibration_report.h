#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "scenarios/calibrate/fit.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"

namespace overlane::calibrate {

// How well a model predicts a measurement table: the prediction of each row, mean errors against
// allowed margins, the order of pairs of systems, and ratios under one load. Rows of use `check`
// were not fitted. Their errors, grouped by the kind of difference from fitted rows (Novelty), show
// how well the model generalises. The report is encoded as JSON here; its text and page are in
// tools/overlane/verbs/calibrate.cpp.

/// A row and its prediction.
struct RowResult {
  std::size_t row = 0;  ///< Position in the table.
  Prediction predicted;
  Picos simulated;        ///< Time until the figures were steady, warm-up included.
  bool is_steady = true;  ///< False: they still change at the end of the longest span.
  /// No row to fit has its encapsulation and datapath.
  bool is_new_path = false;
  DrawnFigures drawn;  ///< Empty if nothing is known about the hosts.

  /// Standard deviation of the logarithm of a figure if the hosts were known.
  double expected_error(Quantity quantity) const {
    return is_new_path ? new_path_error(quantity) : unfitted_error(quantity);
  }

  /// The interval of a figure, by its position.
  std::optional<Interval> interval(std::size_t figure, Quantity quantity) const {
    if (drawn.empty()) return std::nullopt;
    return interval_of(predicted[figure], drawn[figure], expected_error(quantity));
  }
};

/// Predicted / measured − 1.
double error_of(const Figure& figure, double predicted);

/// The accepted mean absolute error of one kind of figure.
enum class MarginKind : std::uint8_t { Throughput, RequestResponse, CpuPerTransaction };
std::string_view to_string(MarginKind kind);

/// The margin for a quantity; nothing for CPU shares.
std::optional<MarginKind> margin_of(Quantity quantity);

struct Margin {
  MarginKind kind = MarginKind::Throughput;
  Use use = Use::Fit;  ///< Fit or Check.
  std::size_t figures = 0;
  double mean_error = 0;  ///< Mean of absolute errors.
  double allowed = 0;

  bool met() const { return mean_error <= allowed; }
};

/// Two rows with the same CNI family, kernel, kind and number of flows, ordered by speed. Rows that
/// repeat a measurement of one system make no pair.
struct Pair {
  std::size_t ahead = 0;   ///< Row with the greater measured figure.
  std::size_t behind = 0;  ///< The other.
  double measured = 0;     ///< Greater / smaller: at least 1.
  double predicted = 0;    ///< Predicted ratio: below 1 if the order is wrong.
  std::string left_out;    ///< Why the order is not evaluated; empty if it is.

  bool right() const { return predicted > 1; }
};

/// A ratio of two systems under one load.
struct Ratio {
  std::size_t row = 0;
  std::size_t baseline = 0;  ///< Row.
  double measured = 0;
  double predicted = 0;
  double within = 0;

  bool met() const;
};

/// How well a model predicts a table.
struct CalibrationReport {
  MeasurementTable table;
  std::string profile;  ///< The predicting profile, or the initial profile of a fit.
  HostModel model;
  std::optional<Fit> fit;       ///< Empty without a fit.
  std::vector<RowResult> rows;  ///< Without excluded rows.
  std::vector<Margin> margins;
  std::vector<Pair> pairs;
  std::vector<Ratio> ratios;
};

/// Predicts and evaluates every row of `table` that is not excluded, with intervals if `knowledge`
/// about the model is given. Errors are internal.
Parsed<CalibrationReport> judge(const MeasurementTable& table, const HostModel& model,
                                std::uint32_t threads, const runner::TasksDone& progress = {},
                                const Knowledge* knowledge = nullptr);

/// One warning per violated margin, order and ratio, and per row without a steady state.
Findings misses(const CalibrationReport& report);

/// "tcp, 4 flows, 5.15": distinguishes the rows of a system.
std::string load_of(const MeasurementRow& row);

/// `kind: CalibrationReport`.
nlohmann::ordered_json encode(const CalibrationReport& report);

/// The difference of a row from all fitted rows: the first value that applies.
enum class Novelty : std::uint8_t {
  System,  ///< No row of its system was fitted: another CNI, encapsulation or datapath.
  Kernel,  ///< No row of its system under its kernel was fitted.
  Mtu,     ///< No row of its system and kernel with its MTUs and offloads was fitted.
  Load,    ///< No row with its load, such as the number of flows, was fitted.
};
std::string_view to_string(Novelty novelty);

/// The prediction error of rows with one kind of difference.
struct Generalisation {
  Novelty novelty = Novelty::Load;
  MarginKind kind = MarginKind::Throughput;
  std::size_t figures = 0;
  double mean_error = 0;  ///< Mean of absolute errors.
};

/// Errors of the rows of use `check`, in the order of Novelty. leave_one_out.h has those of other
/// hosts.
std::vector<Generalisation> generalise(const CalibrationReport& report);

}  // namespace overlane::calibrate
