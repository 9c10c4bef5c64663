#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/finding/finding.h"
#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/measurement_table.h"

namespace overlane::calibrate {

// How good predictions are for hosts that nobody measured: each table of the library is predicted
// by a model of the other hosts, once as it is and once after two of its rows without encapsulation
// were fitted, as an operator can measure them. The scores over all tables are the figures that
// hold for a host outside the library.

/// What is known about the hosts of a table before its rows are predicted.
enum class Measured : std::uint8_t {
  Nothing,   ///< Only the other hosts of the library.
  Baseline,  ///< Also one stream and one request without encapsulation (baseline_rows()).
};
std::string_view to_string(Measured measured);

/// The kinds of figures that are scored.
enum class ScoredKind : std::uint8_t {
  Throughput,
  Requests,
  OverlayRatio,  ///< Encapsulated over not encapsulated, under equal loads.
};
inline constexpr std::size_t kScoredKinds = 3;
std::string_view to_string(ScoredKind kind);

/// A prediction for a host that was not measured, or a ratio of two.
struct ScoredFigure {
  ScoredKind kind = ScoredKind::Throughput;
  std::string table;
  std::string row;  ///< System and load: "calico ipip: tcp, 1 flow, 5.4".
  double measured = 0;
  double predicted = 0;
  Interval interval;  ///< It holds the figure with a probability of 80 %.

  /// Predicted / measured - 1.
  double error() const { return predicted / measured - 1; }
  bool is_inside() const { return interval.holds(measured); }
};

/// How good some predictions are.
struct Accuracy {
  std::size_t count = 0;
  double mean_error = 0;   ///< Mean of absolute errors.
  std::size_t within = 0;  ///< Measured figures inside the interval of 80 %.
};

/// Score::table of the score over all tables.
inline constexpr std::string_view kAllTables = "all";

/// How a table's predictions compare with its measurements. Fitted rows are not counted.
struct Score {
  std::string table;
  Measured measured = Measured::Nothing;
  std::vector<ScoredFigure> figures;
  std::size_t pairs = 0;
  std::size_t right_pairs = 0;
  /// Why there is no score: "no row without encapsulation"; empty if there is one.
  std::string problem;

  Accuracy accuracy(ScoredKind kind) const;
};

/// The rows that Measured::Baseline fits: the first stream, one that the link does not limit if
/// there is any, and the first requests of systems without encapsulation, on the hosts' own kernel;
/// datagrams if there are none of one kind.
std::vector<std::size_t> baseline_rows(const MeasurementTable& table);

/// The score of a table whose hosts `others` does not contain. Errors are internal.
Parsed<Score> score(const MeasurementTable& table, const HostModel& others, Measured measured,
                    std::uint32_t threads);

/// The sum over tables.
Score total(const std::vector<Score>& scores, Measured measured);

/// `kind: UnknownHostsReport`: the scores with all their figures.
nlohmann::ordered_json encode(const std::vector<Score>& scores);

}  // namespace overlane::calibrate
