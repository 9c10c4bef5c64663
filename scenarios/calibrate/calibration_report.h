#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/result.h"
#include "scenarios/calibrate/fit.h"
#include "scenarios/calibrate/host_model.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/calibrate/prediction.h"

namespace overlane::calibrate {

/// A row, and what the packet engine says about it.
struct RowResult {
  std::size_t row = 0;  ///< Its position in the table.
  Prediction predicted;
};

/// Predicted over measured, less 1.
double error_of(const Figure& figure, double predicted);

/// What figures of one sort may be off by: the mean of absolute errors.
enum class MarginKind : std::uint8_t { Throughput, RequestResponse, CpuPerTransaction };
std::string_view to_string(MarginKind kind);

/// Nothing for CPU shares, which are shown and held to no margin.
std::optional<MarginKind> margin_of(Quantity quantity);

struct Margin {
  MarginKind kind = MarginKind::Throughput;
  Use use = Use::Fit;  ///< Of the rows: Fit or Check.
  std::size_t figures = 0;
  double mean_error = 0;  ///< Of absolute values.
  double allowed = 0;

  bool met() const { return mean_error <= allowed; }
};

/// Two rows of one CNI family, kernel, kind and number of flows, and which is ahead.
struct Pair {
  std::size_t ahead = 0;   ///< Row with the greater figure, as measured.
  std::size_t behind = 0;  ///< The other.
  double measured = 0;     ///< Greater over smaller: at least 1.
  double predicted = 0;    ///< The same two: below 1 when the order is wrong.
  std::string left_out;    ///< Why their order is not judged; empty when it is.

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
  std::string profile;  ///< Name of the profile that predicted, or that the fit began with.
  HostModel model;
  std::optional<Fit> fit;       ///< Nothing when nothing was fitted.
  std::vector<RowResult> rows;  ///< Those that are not left out.
  std::vector<Margin> margins;
  std::vector<Pair> pairs;
  std::vector<Ratio> ratios;
};

/// Predicts every row of `table` that is not left out, and judges. A failure is a defect of the
/// engine.
Parsed<CalibrationReport> judge(const MeasurementTable& table, const HostModel& model,
                                std::uint32_t threads);

/// One warning for each margin, order and ratio that is missed.
Findings misses(const CalibrationReport& report);

/// "tcp, 4 flows, 5.15": what tells the row from others of its system.
std::string load_of(const Row& row);

/// `kind: CalibrationReport`.
nlohmann::ordered_json encode(const CalibrationReport& report);

}  // namespace overlane::calibrate
