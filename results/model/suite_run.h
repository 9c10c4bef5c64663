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

// Measurements of one build by a benchmark suite: the data of nightly runs and of comparisons of
// two builds. A SuiteRun has cases (one program with its arguments), a case has metrics, and a
// metric has one sample per round or more. Two runs whose rounds alternate on one machine
// (`beside`) can be compared by time; results/stats judges them. Runs are kept in an SQLite file
// (results/store) or as JSON lines under version control (suite_run_lines()). All types are values.

/// By how much a metric may differ between two builds (docs/explanation/nightly.md).
enum class Tolerance : std::uint8_t {
  Exact,            ///< Not at all: hashes and counts of a deterministic program.
  Instructions,     ///< Instructions as callgrind counts them.
  Time,             ///< Time that the core's speed decides.
  MemoryBoundTime,  ///< Time that caches and memory decide.
};

/// Which way a metric gets better.
enum class Better : std::uint8_t { Lower, Higher, Neither };

std::string_view to_string(Tolerance tolerance);
std::string_view to_string(Better better);
inline constexpr std::initializer_list<Tolerance> kTolerances = {
    Tolerance::Exact, Tolerance::Instructions, Tolerance::Time, Tolerance::MemoryBoundTime};
inline constexpr std::initializer_list<Better> kBetter = {Better::Lower, Better::Higher,
                                                          Better::Neither};

/// True if the same build can have another value in another round.
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

/// How long this machine took for a step of each yardstick (bench/yardstick) around a round.
struct Yardsticks {
  double compute_ns = 0;
  double memory_ns = 0;

  bool operator==(const Yardsticks&) const = default;
};

enum class CaseStatus : std::uint8_t {
  Complete,
  Failed,    ///< A program crashed, failed, or printed a result without the metrics.
  TimedOut,  ///< A program did not end in time.
  Missing,   ///< A program or file is not there, or the machine cannot run it.
};

std::string_view to_string(CaseStatus status);

/// One case of a suite, as it was run.
struct CaseRun {
  std::string name;
  std::string owner;  ///< The folder or team that a regression is reported to.
  CaseStatus status = CaseStatus::Complete;
  std::string reason;  ///< Why it is not complete.
  double seconds = 0;  ///< Duration of all programs of the case together.
  std::vector<Yardsticks> rounds;
  std::vector<MeasuredMetric> metrics;
  /// The result that its program printed in the first round, without clock times and environment;
  /// JSON, or empty.
  std::string document;

  bool operator==(const CaseRun&) const = default;
};

/// An intended change: metrics that may be worse than or different from those of one base.
struct AcceptedChange {
  std::string case_name;  ///< `*` stands for any characters.
  std::string metric;     ///< `*` stands for any characters.
  std::string base;       ///< Beginning of the base's commit: with another base it does not apply.
  std::string reason;

  /// True if the change accepts this metric of this case against a base of that commit.
  bool covers(const std::string& name_of_case, const std::string& name_of_metric,
              std::string_view base_commit) const;
  bool operator==(const AcceptedChange&) const = default;
};

enum class RunState : std::uint8_t { Running, Complete, Interrupted };

std::string_view to_string(RunState state);

/// The purpose of a run.
enum class RunPurpose : std::uint8_t {
  Judged,
  Base,   ///< The run beside this one is judged by it.
  Noise,  ///< Both runs are of the same build (A/A): they differ by noise alone.
};

std::string_view to_string(RunPurpose purpose);

/// A suite, as one build ran it.
struct SuiteRun {
  std::string id;               ///< Unique everywhere; ids of later runs are greater.
  std::string suite;            ///< Name of the suite.
  std::string suite_digest;     ///< Digest of the suite's file, whose cases and metrics may change.
  std::int64_t started_ms = 0;  ///< Unix time.
  std::optional<std::int64_t> ended_ms;
  RunState state = RunState::Running;
  std::string beside;  ///< Run of another build whose rounds alternated with this one's; or empty.
  RunPurpose purpose = RunPurpose::Judged;
  std::string shard;  ///< "2/4": only every fourth case, from the second on; empty: all.
  Environment environment;
  std::vector<AcceptedChange> accepted;  ///< Changes that the suite accepts.
  std::vector<CaseRun> cases;

  bool operator==(const SuiteRun&) const = default;
};

/// The latest run that is neither a base nor for noise, of runs with the oldest first; nullptr if
/// there is none.
const SuiteRun* latest_judged(const std::vector<SuiteRun>& runs);
/// The run with that id; nullptr if there is none.
const SuiteRun* find_run(const std::vector<SuiteRun>& runs, std::string_view id);

/// The case or metric of that name; nullptr if there is none.
const CaseRun* find_case(const SuiteRun& run, std::string_view name);
const MeasuredMetric* find_metric(const CaseRun& one, std::string_view name);

/// The change of this metric that `run` accepts against a base of that commit; nullptr if none.
const AcceptedChange* find_accepted(const SuiteRun& run, const std::string& case_name,
                                    const std::string& metric, std::string_view base_commit);

/// XXH3-128 of a text, as 32 hexadecimal digits.
std::string digest_of(std::string_view text);

// A SuiteRun has two JSON forms with the same content: a document for programs, and JSON lines for
// version control. Decoders accept only documents of kSuiteRunVersion.

/// The `schema_version` of a SuiteRun.
inline constexpr int kSuiteRunVersion = 1;

/// The SuiteRun document: the run, its `cases[]`, and the `metrics[]` of each with their
/// `samples[]`, which are pairs of round and value.
nlohmann::ordered_json encode(const SuiteRun& run);
Parsed<SuiteRun> decode_suite_run(const nlohmann::ordered_json& document);

/// A run as JSON lines, which version control compares line by line: the run without its cases,
/// then for each case a line, and one for each of its metrics.
std::string suite_run_lines(const SuiteRun& run);
/// Reads the lines of any number of runs, one after another. The error begins with the number of
/// the line.
Parsed<std::vector<SuiteRun>> read_suite_run_lines(std::string_view lines);

/// The list of changes that a run accepts.
nlohmann::ordered_json encode(const std::vector<AcceptedChange>& accepted);
std::vector<AcceptedChange> decode_accepted_changes(const JsonReader& json);

/// A figure as a number or a text.
nlohmann::ordered_json encode_figure(const Figure& figure);

}  // namespace overlane::model
