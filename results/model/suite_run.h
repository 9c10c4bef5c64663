#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/base/json_reader.h"
#include "results/finding/finding.h"
#include "results/model/run_environment.h"

namespace overlane::model {

// Measurements of one build by a benchmark suite. Nightly runs and comparisons of two builds use
// them. A SuiteRun has cases (one program with its arguments), a case has metrics, and a metric has
// one or more samples per round. Two runs whose rounds alternate on one machine (`beside`) can be
// compared by time; results/stats does so. Runs are kept in an SQLite file (results/store) or as
// JSON lines under version control (suite_run_lines()). All types are values.

/// Classes of metrics by the difference that is allowed between two builds
/// (docs/explanation/nightly.md).
enum class Tolerance : std::uint8_t {
  Exact,            ///< No difference: hashes and counts of a deterministic program.
  Instructions,     ///< Instruction counts of callgrind.
  Time,             ///< Time that depends mainly on the core's speed.
  MemoryBoundTime,  ///< Time that depends mainly on caches and memory.
};

/// The direction in which a metric improves.
enum class Better : std::uint8_t { Lower, Higher, Neither };

std::string_view to_string(Tolerance tolerance);
std::string_view to_string(Better better);
inline constexpr std::initializer_list<Tolerance> kTolerances = {
    Tolerance::Exact, Tolerance::Instructions, Tolerance::Time, Tolerance::MemoryBoundTime};
inline constexpr std::initializer_list<Better> kBetter = {Better::Lower, Better::Higher,
                                                          Better::Neither};

/// True if the values of one build can differ between rounds.
constexpr bool is_time(Tolerance tolerance) {
  return tolerance == Tolerance::Time || tolerance == Tolerance::MemoryBoundTime;
}

/// A measured quantity, and how it is judged.
struct Metric {
  std::string name;  ///< Path of the value in the program's result: "variants/x/engine/events".
  std::string unit;  ///< "ns", "bytes"; may be empty.
  Better better = Better::Neither;
  Tolerance tolerance = Tolerance::Exact;

  auto operator<=>(const Metric&) const = default;
};

/// A count, a measurement, or a text such as a hash.
using Figure = std::variant<std::int64_t, double, std::string>;

/// The number of a figure; nothing for a text.
std::optional<double> number_of(const Figure& figure);

/// One value of a metric.
struct Sample {
  std::int64_t round = 0;  ///< Number of the program's run that gave the value, from 0.
  Figure value;

  bool operator==(const Sample&) const = default;
};

/// A metric and all its samples, by round.
struct MeasuredMetric {
  Metric metric;
  std::vector<Sample> samples;

  bool operator==(const MeasuredMetric&) const = default;
};

/// Time that this machine took for one step of each yardstick (bench/yardstick), measured around a
/// round.
struct Yardsticks {
  double compute_ns = 0;
  double memory_ns = 0;

  bool operator==(const Yardsticks&) const = default;
};

enum class CaseStatus : std::uint8_t {
  Complete,
  Failed,    ///< A program crashed, failed, or printed a result without the metrics.
  TimedOut,  ///< A program did not end in time.
  Missing,   ///< A program or file does not exist, or the machine cannot run it.
};

std::string_view to_string(CaseStatus status);

/// The run of one case of a suite.
struct CaseRun {
  std::string name;
  std::string owner;  ///< The folder or team that a regression is reported to.
  CaseStatus status = CaseStatus::Complete;
  std::string reason;  ///< Why the case is not complete.
  double seconds = 0;  ///< Duration of all programs of the case together.
  std::vector<Yardsticks> rounds;
  std::vector<MeasuredMetric> metrics;
  /// The result that its program printed in the first round, without clock times and environment;
  /// JSON, or empty.
  std::string document;

  bool operator==(const CaseRun&) const = default;
};

/// An intended change: metrics that may be worse than, or different from, the metrics of one base.
struct AcceptedChange {
  std::string case_name;  ///< `*` stands for any characters.
  std::string metric;     ///< `*` stands for any characters.
  std::string base;       ///< Beginning of the base's commit; the change applies to no other base.
  std::string reason;

  /// True if this change covers the metric of the case in a comparison with the base at
  /// `base_commit`.
  bool covers(const std::string& name_of_case, const std::string& name_of_metric,
              std::string_view base_commit) const;
  bool operator==(const AcceptedChange&) const = default;
};

enum class RunState : std::uint8_t { Running, Complete, Interrupted };

std::string_view to_string(RunState state);

/// The purpose of a run.
enum class RunPurpose : std::uint8_t {
  Judged,
  Base,   ///< Serves as the base of the run that it alternated with.
  Noise,  ///< Both runs are of the same build (A/A): they differ by noise alone.
};

std::string_view to_string(RunPurpose purpose);

/// The run of a suite by one build.
struct SuiteRun {
  std::string id;               ///< Unique everywhere; ids of later runs are greater.
  std::string suite;            ///< Name of the suite.
  std::string suite_digest;     ///< Digest of the suite's file, whose cases and metrics may change.
  std::int64_t started_ms = 0;  ///< Unix time.
  std::optional<std::int64_t> ended_ms;
  RunState state = RunState::Running;
  std::string beside;  ///< Id of the run whose rounds alternated with this run's; empty: none.
  RunPurpose purpose = RunPurpose::Judged;
  std::string shard;  ///< "2/4": every fourth case, beginning with the second; empty: all cases.
  Environment environment;
  std::vector<AcceptedChange> accepted;  ///< Changes that the suite accepts.
  std::vector<CaseRun> cases;

  bool operator==(const SuiteRun&) const = default;
};

/// Returns the last run with RunPurpose::Judged, or nullptr. `runs` begin with the oldest.
const SuiteRun* latest_judged(const std::vector<SuiteRun>& runs);
/// Returns the run with this id, or nullptr.
const SuiteRun* find_run(const std::vector<SuiteRun>& runs, std::string_view id);

/// Return the case or metric with this name, or nullptr.
const CaseRun* find_case(const SuiteRun& run, std::string_view name);
const MeasuredMetric* find_metric(const CaseRun& one, std::string_view name);

/// Returns the first accepted change of `run` that covers the metric (AcceptedChange::covers()), or
/// nullptr.
const AcceptedChange* find_accepted(const SuiteRun& run, const std::string& case_name,
                                    const std::string& metric, std::string_view base_commit);

/// XXH3-128 of a text, as 32 hexadecimal digits.
std::string digest_of(std::string_view text);

// A SuiteRun has two JSON forms with the same content: a document for programs, and JSON lines for
// version control. Decoders accept only documents of kSuiteRunVersion.

/// The `schema_version` of a SuiteRun.
inline constexpr int kSuiteRunVersion = 1;

/// The SuiteRun document: the run, its `cases[]`, the `metrics[]` of each case, and the `samples[]`
/// of each metric as pairs of round and value.
nlohmann::ordered_json encode(const SuiteRun& run);
Parsed<SuiteRun> decode_suite_run(const nlohmann::ordered_json& document);

/// A run as JSON lines, for version control: one line for the run without its cases; then one line
/// per case, each followed by one line per metric of the case.
std::string suite_run_lines(const SuiteRun& run);
/// Reads the lines of any number of runs, one after another. The error begins with the line number.
Parsed<std::vector<SuiteRun>> read_suite_run_lines(std::string_view lines);

/// Encodes and decodes the list of changes that a run accepts.
nlohmann::ordered_json encode(const std::vector<AcceptedChange>& accepted);
std::vector<AcceptedChange> decode_accepted_changes(const JsonReader& json);

/// A figure as a number or a text.
nlohmann::ordered_json encode_figure(const Figure& figure);

}  // namespace overlane::model
