#include "bench/suite/suite.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "results/model/suite_run.h"
#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::suite {
namespace {

using document::FieldKey;
using document::Fields;
using document::Value;
using model::Better;
using model::Tolerance;

constexpr std::uint32_t kMaxRounds = 1000;
constexpr std::size_t kMaxCells = 100'000;
constexpr std::size_t kMinCommitDigits = 7;  // As in git's abbreviated commits.
constexpr Picos kDefaultTimeout = seconds(600);

MetricPattern pattern(const char* value, Better better, Tolerance tolerance,
                      const char* unit = "") {
  return {.value = value, .unit = unit, .better = better, .tolerance = tolerance, .place = {}};
}

/// A known program of suites, and the default metrics of its cases.
struct Kind {
  std::string_view key;
  std::string_view meaning;  ///< The description of the field.
  std::vector<std::string> (*command)(Fields& fields);
  std::vector<MetricPattern> metrics;
};

/// Reads a required text.
std::string text_of(Fields& fields, const FieldKey& key) {
  fields.required(key);
  return fields.string(key).value_or("");
}

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::vector<std::string> scenario_command(Fields& fields) {
  std::vector<std::string> words{
      "overlane",
      "run",
      text_of(fields,
              FieldKey("path", "The Scenario or manifest, relative to the suite's folder.")),
      "--quiet",
      "--threads",
      "1",
      "--output",
      "json"};
  append(words, fields.strings(FieldKey("arguments", "More arguments.", "An argument.")));
  return words;
}

std::vector<std::string> benchmark_command(Fields& fields) {
  std::vector<std::string> words{
      fields
          .string(FieldKey(
              "program",
              "Its name in the build's folder or its subfolder bench; overlane_bench by default."))
          .value_or("overlane_bench"),
      "--benchmark_filter=" +
          fields
              .string(FieldKey("filter",
                               "The benchmarks to run, as a regular expression; all by default."))
              .value_or("."),
      "--benchmark_format=json"};
  append(words, fields.strings(FieldKey("arguments", "More arguments.", "An argument.")));
  return words;
}

std::vector<std::string> fastpath_command(Fields& fields) {
  std::vector<std::string> words{
      "overlane-fastpath", "bench",
      text_of(fields, FieldKey("path", "The manifest, relative to the suite's folder.")),
      "--output", "json"};
  append(words, fields.strings(FieldKey("arguments", "More arguments.", "An argument.")));
  return words;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kinds{
      {"scenario",
       "A run of `overlane run` on one thread.",
       &scenario_command,
       {pattern("result_hash", Better::Neither, Tolerance::Exact),
        pattern("variants/*/engine/events", Better::Lower, Tolerance::Exact),
        pattern("variants/*/engine/packet_hops", Better::Neither, Tolerance::Exact),
        pattern("variants/*/traffic/*/goodput_bps", Better::Higher, Tolerance::Exact, "bit/s"),
        pattern("variants/*/traffic/*/packets/dropped", Better::Lower, Tolerance::Exact),
        pattern("variants/*/engine/ns_per_packet_hop", Better::Lower, Tolerance::Time, "ns")}},
      {"benchmark",
       "A program with Google Benchmark.",
       &benchmark_command,
       {pattern("*/cpu_time_ns", Better::Lower, Tolerance::Time, "ns")}},
      {"fastpath",
       "A run of `overlane-fastpath bench`.",
       &fastpath_command,
       {pattern("cases/*/ns_per_packet", Better::Lower, Tolerance::Time, "ns")}},
  };
  return kinds;
}

template <typename Word>
Word word(Fields& fields, const FieldKey& key, std::initializer_list<Word> words, Word usual) {
  std::vector<std::string_view> texts;
  for (const Word one : words)
    texts.push_back(to_string(one));
  const auto given = fields.one_of(key, std::span<const std::string_view>(texts));
  for (const Word one : words)
    if (given && *given == to_string(one)) return one;
  return usual;
}

MetricPattern decode_pattern(const Value& value, document::Problems& problems) {
  Fields fields(value, problems);
  MetricPattern pattern{
      .value = text_of(
          fields,
          FieldKey(
              "value",
              "The names of the values: keys of the result's JSON, joined by slashes, an item of a "
              "list by its name; * stands for any characters. Of the process: "
              "process/wall_seconds, user_seconds, system_seconds, peak_rss_bytes, instructions.")),
      .unit = fields.string(FieldKey("unit", "The unit, for tables: ns, bytes.")).value_or(""),
      .better = word(fields, FieldKey("better", "Which way it gets better."), model::kBetter,
                     Better::Neither),
      .tolerance = word(fields,
                        FieldKey("tolerance",
                                 "exact: must be equal; instructions: callgrind's count, 0.1 %; "
                                 "time: 5 %; memory-bound-time: 12 %."),
                        model::kTolerances, Tolerance::Exact),
      .place = value.place()};
  if (pattern.tolerance != Tolerance::Exact && pattern.better == Better::Neither)
    problems.error(value, "bad-value",
                   "a metric that may differ a little must say which way it gets better",
                   "add better: lower, or better: higher");
  fields.no_others();
  return pattern;
}

std::chrono::milliseconds timeout_of(Fields& fields, const FieldKey& key,
                                     std::chrono::milliseconds usual) {
  const auto given = spec::duration_above_zero(fields, key);
  return given ? std::chrono::milliseconds(given->whole_nanoseconds() / 1'000'000) : usual;
}

/// A variable of a case's matrix and its values.
struct Dimension {
  std::string name;
  std::vector<std::string> values;
};

std::vector<Dimension> decode_matrix(const Value& matrix, document::Problems& problems) {
  std::vector<Dimension> dimensions;
  for (const Value entry : matrix) {
    Dimension dimension{.name = std::string(entry.key()), .values = {}};
    for (const Value value : entry)
      dimension.values.emplace_back(value.text());
    if (dimension.values.empty())
      problems.error(entry, "bad-value", fmt::format("{} has no values", dimension.name),
                     "write a list");
    dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

/// Replaces "{name}" everywhere in `text`. Returns whether it occurred.
bool substitute(std::string& text, const std::string& name, const std::string& value) {
  const std::string placeholder = '{' + name + '}';
  bool found = false;
  for (std::size_t at = 0; (at = text.find(placeholder, at)) != std::string::npos;) {
    text.replace(at, placeholder.size(), value);
    at += value.size();
    found = true;
  }
  return found;
}

/// The case once for each combination of the matrix's values, which replace "{name}" in the
/// command. Name of such a case: "runs/nodes=10/seed=1".
std::vector<SuiteCase> cells_of(SuiteCase one, const std::vector<Dimension>& matrix,
                                const Value& place, document::Problems& problems) {
  std::vector<SuiteCase> cells{std::move(one)};
  for (const Dimension& dimension : matrix) {
    if (cells.size() * dimension.values.size() > kMaxCells) {
      problems.error(place, "bad-value",
                     fmt::format("the matrix has more than {} cells", kMaxCells));
      return {};
    }
    std::vector<SuiteCase> more;
    bool is_used = false;
    for (const SuiteCase& cell : cells) {
      for (const std::string& value : dimension.values) {
        SuiteCase& next = more.emplace_back(cell);
        next.name += fmt::format("/{}={}", dimension.name, value);
        for (std::string& word : next.command)
          is_used |= substitute(word, dimension.name, value);
      }
    }
    if (!is_used && !dimension.values.empty())
      problems.error(
          place, "bad-value",
          fmt::format("no argument has {{{}}}, so all its values are the same", dimension.name));
    cells = std::move(more);
  }
  return cells;
}

/// Decodes a case, or all combinations of its matrix.
std::vector<SuiteCase> decode_cases(const Value& value, std::chrono::milliseconds timeout,
                                    document::Problems& problems) {
  Fields fields(value, problems);
  SuiteCase one{
      .name =
          text_of(fields, FieldKey("name", "The name in results and messages, once in the suite.")),
      .owner = text_of(fields, FieldKey("owner", "Whom a regression concerns: a folder, a team.")),
      .timeout =
          timeout_of(fields, FieldKey("timeout", "Of this case, instead of the suite's."), timeout),
      .place = value.place()};
  int programs = 0;
  for (const Kind& kind : kinds()) {
    Fields program = fields.fields(FieldKey(kind.key, kind.meaning));
    if (!value[kind.key]) continue;
    one.command = kind.command(program);
    one.metrics = kind.metrics;
    program.no_others();
    ++programs;
  }
  if (auto command = fields.strings(
          FieldKey("command",
                   "Any program that prints JSON, and its arguments; without a slash in its name "
                   "it is one of the build, or of the PATH. It runs in the suite's folder.",
                   "The program, then an argument each."));
      value["command"]) {
    one.command = std::move(command);
    ++programs;
    if (!value["metrics"])
      problems.error(value, "no-metrics",
                     fmt::format("case {} has a command, and no metrics", one.name),
                     "name the values that are measured");
    if (one.command.empty())
      problems.error(value["command"], "bad-value", "a command needs a program");
  }
  if (programs != 1)
    problems.error(value, "bad-value",
                   fmt::format("a case has one program, and case {} has {}", one.name, programs),
                   "write one of scenario, benchmark, fastpath, command");
  if (const Value codes = fields.list(
          FieldKey("exitCodes", "The exit codes with which a result counts; 0 by default.",
                   "An exit code."));
      codes.size() > 0) {
    one.exit_codes.clear();
    for (const Value code : codes)
      one.exit_codes.push_back(
          static_cast<int>(document::read_integer(code, problems).value_or(0)));
  }
  if (const Value metrics = fields.list(
          FieldKey("metrics", "What is measured; scenario, benchmark and fastpath have usual ones.",
                   "Values that are measured and judged alike."));
      metrics.size() > 0) {
    one.metrics.clear();
    for (const Value metric : metrics)
      one.metrics.push_back(decode_pattern(metric, problems));
  }
  const Value matrix =
      fields.mapping(FieldKey("matrix",
                              "Names with lists of values: the case is run for each combination, "
                              "and {name} in its paths and arguments is the value."));
  fields.no_others();
  return cells_of(std::move(one), decode_matrix(matrix, problems), matrix, problems);
}

Rounds decode_rounds(Fields& spec, document::Problems& problems) {
  Fields fields = spec.fields(FieldKey("rounds", "How often cases with times are run."));
  Rounds rounds;
  rounds.min =
      spec::count_between(fields, FieldKey("least", "Rounds of each build at least; 5 by default."),
                          1, kMaxRounds)
          .value_or(rounds.min);
  rounds.max = spec::count_between(fields,
                                   FieldKey("most",
                                            "Rounds at most, beside another build, until the "
                                            "intervals are narrow enough; 20 by default."),
                                   1, kMaxRounds)
                   .value_or(std::max(rounds.max, rounds.min));
  rounds.runs =
      spec::count_between(
          fields,
          FieldKey(
              "runs",
              "How often a program runs in each round, of which the best counts; 1 by default."),
          1, kMaxRounds)
          .value_or(rounds.runs);
  if (rounds.max < rounds.min)
    problems.error(
        fields.value()["most"], "bad-value",
        fmt::format("at most {} rounds are fewer than at least {}", rounds.max, rounds.min));
  fields.no_others();
  return rounds;
}

model::AcceptedChange decode_accepted(const Value& value, const std::vector<SuiteCase>& cases,
                                      document::Problems& problems) {
  Fields fields(value, problems);
  model::AcceptedChange change{
      .case_name =
          text_of(fields, FieldKey("case", "The name of the case; * stands for any characters.")),
      .metric = text_of(fields,
                        FieldKey("metric", "The name of the metric; * stands for any characters.")),
      .base = text_of(
          fields,
          FieldKey(
              "base",
              "The base's commit, or its beginning; with another base the entry has no effect.")),
      .reason = text_of(fields, FieldKey("reason", "Why; reports state it."))};
  fields.no_others();
  const bool is_known = std::ranges::any_of(
      cases, [&](const SuiteCase& one) { return matches_pattern(one.name, change.case_name); });
  if (!is_known && value["case"])
    problems.error(value["case"], "bad-value",
                   fmt::format("no case is called {}", change.case_name));
  if (!change.base.empty() && change.base.size() < kMinCommitDigits)
    problems.error(value["base"], "bad-value",
                   fmt::format("{} digits of a commit are too few to name it", change.base.size()),
                   fmt::format("write at least {}", kMinCommitDigits));
  return change;
}

struct BuiltInSuite {
  std::string_view file;
  std::string_view text;
};

constexpr BuiltInSuite kBuiltIn[] = {
#include "bench_suite_files.inc"
};

constexpr std::string_view kSuffix = ".yaml";

/// The text of the built-in suite of this name, unless such a file exists.
std::optional<std::string_view> built_in(const std::string& name) {
  std::error_code ignored;
  const auto* found =
      std::ranges::find(kBuiltIn, fmt::format("{}{}", name, kSuffix), &BuiltInSuite::file);
  if (found == std::ranges::end(kBuiltIn) || std::filesystem::exists(name, ignored))
    return std::nullopt;
  return found->text;
}

std::string text_of_file(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

}  // namespace

bool SuiteCase::has_time() const {
  return std::ranges::any_of(metrics, [](const MetricPattern& m) { return is_time(m.tolerance); });
}

bool SuiteCase::has_instructions() const {
  return std::ranges::count(metrics, Tolerance::Instructions, &MetricPattern::tolerance) > 0;
}

std::vector<MetricPattern> usual_metrics(std::string_view program) {
  const auto kind = std::ranges::find(kinds(), program, &Kind::key);
  return kind == kinds().end() ? std::vector<MetricPattern>{} : kind->metrics;
}

Suite decode_suite(Fields& root) {
  Suite suite;
  suite.name = document::decode_header(root, "Suite");
  suite.file = root.value().place().file;
  document::Problems& problems = root.problems();
  root.required("spec");
  Fields spec = root.fields(FieldKey("spec", "What is run, and what is measured of it."));
  root.no_others();
  spec.string(FieldKey("description", "For your own use."));
  suite.rounds = decode_rounds(spec, problems);
  const auto timeout =
      timeout_of(spec, FieldKey("timeout", "How long a program may run; 600s by default."),
                 std::chrono::milliseconds(kDefaultTimeout.whole_nanoseconds() / 1'000'000));
  spec.required("cases");
  std::set<std::string> names;
  for (const Value value :
       spec.list(FieldKey("cases", "The cases, in the order in which they run.",
                          "A program; exactly one of scenario, benchmark, fastpath, command."))) {
    for (SuiteCase& one : decode_cases(value, timeout, problems)) {
      if (!names.insert(one.name).second)
        problems.error(value["name"], "duplicate-name",
                       fmt::format("there is a case {} before", one.name));
      suite.cases.push_back(std::move(one));
    }
  }
  for (const Value value :
       spec.list(FieldKey("accepted", "Changes that are meant, until the base moves.",
                          "Metrics that may be worse or other than those of one base commit.")))
    suite.accepted.push_back(decode_accepted(value, suite.cases, problems));
  spec.no_others();
  return suite;
}

Result<Suite, Findings> load_suite(const std::string& name) {
  const auto text = built_in(name);
  auto tree = text ? Result<document::Tree>(document::parse(*text, name).documents.at(0))
                   : document::read_one(name);
  if (!tree) {
    std::error_code ignored;
    if (!std::filesystem::exists(name, ignored))
      tree.error().hint = fmt::format("give the path of a Suite, or the name of a built-in one: {}",
                                      fmt::join(built_in_suites(), ", "));
    return fail(Findings{std::move(tree.error())});
  }
  auto suite = document::decode_whole(*tree, &decode_suite);
  if (suite) suite->digest = model::digest_of(text ? std::string(*text) : text_of_file(name));
  return suite;
}

std::vector<std::string> built_in_suites() {
  std::vector<std::string> names;
  for (const BuiltInSuite& one : kBuiltIn)
    names.emplace_back(one.file.substr(0, one.file.size() - kSuffix.size()));
  return names;
}

}  // namespace overlane::suite
