#include "bench/suite/bisect.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/program.h"
#include "bench/suite/suite_runner.h"
#include "results/base/text.h"
#include "results/report/judgement_text.h"
#include "results/stats/judge.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

using stats::MetricJudgement;
using suite::CommitState;

struct BisectOptions {
  std::string good, bad;
  std::string suite;
  std::string case_name;
  std::string metric = "*";
  std::string repository = ".";
  std::string build = "tools/build --quiet bench overlane overlane_bench overlane-bench-engine";
  std::string programs = "build/bench";
  std::uint32_t rounds = 0;
  bool quiet = false;
  OutputOptions output;
};

constexpr std::chrono::hours kLongestBuild{2};

struct Commit {
  std::string id;
  std::string subject;
};

/// The commits of a repository, and their builds in out/bisect.
class Builds {
 public:
  Builds(const BisectOptions& options, const std::atomic<bool>& stop)
      : options_(options), stop_(stop) {}

  Parsed<std::string> id_of(const std::string& name) const {
    auto id = git({"rev-parse", "--verify", "--quiet", name + "^{commit}"});
    if (id) return id->substr(0, id->find('\n'));
    return fail(fmt::format("{} is no commit of {}", name, options_.repository));
  }

  /// Commits after `good` up to `bad` on the branch, the oldest first.
  Parsed<std::vector<Commit>> between(const std::string& good, const std::string& bad) const {
    const auto lines = git(
        {"log", "--first-parent", "--reverse", "--format=%H %s", fmt::format("{}..{}", good, bad)});
    if (!lines) return fail(lines.error());
    std::vector<Commit> commits;
    for (std::size_t at = 0; at < lines->size();) {
      const std::size_t end = std::min(lines->find('\n', at), lines->size());
      const std::string line = lines->substr(at, end - at);
      commits.push_back({line.substr(0, line.find(' ')), line.substr(line.find(' ') + 1)});
      at = end + 1;
    }
    if (commits.empty()) return fail(fmt::format("no commit is after {} and in {}", good, bad));
    return commits;
  }

  /// The folder of the commit's programs.
  Parsed<std::string> build(const std::string& id) const {
    const auto tree = std::filesystem::absolute(options_.repository) / "out/bisect" / id;
    std::error_code ignored;
    if (!std::filesystem::exists(tree / ".git", ignored)) {
      const auto added =
          git({"worktree", "add", "--quiet", "--force", "--detach", tree.string(), id});
      if (!added) return fail(added.error());
    }
    const auto built = suite::run_program(
        {.words = {"sh", "-c", options_.build}, .folder = tree.string(), .timeout = kLongestBuild},
        stop_);
    if (!built) return fail(built.error());
    if (built->end != suite::ProgramEnd::Exited || built->code != 0)
      return fail(fmt::format("{}: {}", options_.build, built->problem()));
    return (tree / options_.programs).string();
  }

 private:
  Parsed<std::string> git(std::vector<std::string> arguments) const {
    std::vector<std::string> words{"git", "-C", options_.repository};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto ran = suite::run_program(
        {.words = std::move(words), .folder = "", .timeout = std::chrono::minutes(10)}, stop_);
    if (!ran) return fail(ran.error());
    if (ran->end == suite::ProgramEnd::Exited && ran->code == 0) return ran->output;
    return fail("git: " + ran->problem());
  }

  const BisectOptions& options_;
  const std::atomic<bool>& stop_;
};

/// Difference between a commit and the good commit in one metric: the one that changed most between
/// the good and the bad commit.
class Difference {
 public:
  Difference(const suite::Suite& suite, const suite::SuiteCase& one, std::string good_build,
             const BisectOptions& options, const std::atomic<bool>& stop)
      : suite_(suite), case_(one), good_(std::move(good_build)), options_(options), stop_(stop) {}

  /// Measures a build together with the good one. Returns nothing if stopped.
  std::optional<std::vector<MetricJudgement>> measure(const std::string& build) const {
    suite::Rounds rounds = suite_.rounds;
    if (options_.rounds != 0) rounds.min = rounds.max = options_.rounds;
    suite::SuiteRunner runner(suite_, {build, good_},
                              {.rounds = rounds, .stop = &stop_, .on_round = {}});
    auto measured = runner.run(case_);
    if (!measured) return std::nullopt;
    model::SuiteRun changed{.id = "changed", .beside = "good"}, good{.id = "good"};
    changed.cases.push_back(std::move((*measured)[0]));
    good.cases.push_back(std::move((*measured)[1]));
    if (changed.cases[0].status != model::CaseStatus::Complete)
      return std::vector<MetricJudgement>{};
    auto judgement = stats::judge(good, changed);
    std::erase_if(judgement.metrics, [&](const MetricJudgement& judged) {
      return !matches_pattern(judged.metric.name, options_.metric);
    });
    return std::move(judgement.metrics);
  }

  /// Distance of two figures: the logarithm of their ratio, or an arbitrary number for exact
  /// figures that differ.
  static double size_of(const MetricJudgement& judged) {
    if (judged.verdict == stats::MetricVerdict::Changed) return 1;
    return judged.ratio && judged.ratio->value > 0 ? std::abs(std::log(judged.ratio->value)) : 0;
  }

 private:
  const suite::Suite& suite_;
  const suite::SuiteCase& case_;
  std::string good_;
  const BisectOptions& options_;
  const std::atomic<bool>& stop_;
};

std::string change_text(const MetricJudgement& judged) {
  return judged.ratio ? report::effect_text(judged.ratio->value)
                      : std::string(stats::to_string(judged.verdict));
}

std::string short_text(const Commit& commit) {
  return fmt::format("{} {}", commit.id.substr(0, 12), one_line(commit.subject));
}

class Search {
 public:
  Search(const BisectOptions& options, const Builds& builds, const Difference& difference,
         const std::vector<Commit>& commits)
      : options_(options), builds_(builds), difference_(difference), commits_(commits) {}

  /// Measures the bad commit. The metric that changed most is used for the search.
  ExitCode begin() {
    const auto build = builds_.build(commits_.back().id);
    if (!build)
      return end_with(ExitCode::RunFailed, short_text(commits_.back()) + ": " + build.error());
    const auto metrics = difference_.measure(*build);
    if (!metrics) return ExitCode::Interrupted;
    const auto worst = std::ranges::max_element(*metrics, {}, &Difference::size_of);
    const bool differs = worst != metrics->end() && worst->verdict != stats::MetricVerdict::Same &&
                         worst->verdict != stats::MetricVerdict::Unclear;
    if (!differs)
      return end_with(ExitCode::NoInput,
                      fmt::format("{} and {} do not differ in {} of case {}", options_.good,
                                  options_.bad, options_.metric, options_.case_name));
    wanted_ = *worst;
    note(commits_.back(), change_text(wanted_));
    return ExitCode::Clean;
  }

  std::optional<suite::Bisection> run() {
    return suite::bisect(commits_.size(), [this](std::size_t i) { return probe(commits_[i]); });
  }

  const MetricJudgement& wanted() const { return wanted_; }

 private:
  std::optional<CommitState> probe(const Commit& commit) const {
    const auto build = builds_.build(commit.id);
    if (!build) {
      note(commit, "cannot be built: " + build.error());
      return CommitState::Unknown;
    }
    const auto metrics = difference_.measure(*build);
    if (!metrics) return std::nullopt;
    const auto found = std::ranges::find_if(*metrics, [&](const MetricJudgement& judged) {
      return judged.metric.name == wanted_.metric.name;
    });
    if (found == metrics->end()) {
      note(commit, "the case does not run");
      return CommitState::Unknown;
    }
    // Compares with the geometric middle between good and bad.
    const bool has_it = Difference::size_of(*found) > Difference::size_of(wanted_) / 2;
    note(commit, fmt::format("{}: {}", has_it ? "with" : "without", change_text(*found)));
    return has_it ? CommitState::With : CommitState::Without;
  }

  void note(const Commit& commit, const std::string& what) const {
    if (!options_.quiet) print_aside(fmt::format("{}: {}\n", short_text(commit), one_line(what)));
  }

  const BisectOptions& options_;
  const Builds& builds_;
  const Difference& difference_;
  const std::vector<Commit>& commits_;
  MetricJudgement wanted_;
};

ExitCode write(const BisectOptions& options, const std::vector<Commit>& commits,
               const suite::Bisection& found, const MetricJudgement& wanted) {
  const Commit& first = commits[found.first_with];
  if (options.output.format == Format::Json) {
    nlohmann::ordered_json document{{"schema_version", 1},
                                    {"kind", "Bisection"},
                                    {"case", wanted.case_name},
                                    {"metric", wanted.metric.name},
                                    {"commit", first.id},
                                    {"subject", first.subject},
                                    {"suspects", nlohmann::ordered_json::array()}};
    for (const std::size_t i : found.suspects)
      document["suspects"].push_back(commits[i].id);
    return write_json(options.output, document);
  }
  std::string text =
      fmt::format("{} of case {}: {} since\n  {}\n", one_line(wanted.metric.name),
                  one_line(wanted.case_name), change_text(wanted), short_text(first));
  if (!found.suspects.empty()) text += "or one of these, which cannot be measured:\n";
  for (const std::size_t i : found.suspects)
    text += "  " + short_text(commits[i]) + '\n';
  return write_text(options.output, text);
}

ExitCode bisect(const BisectOptions& options) {
  const auto suite = suite::load_suite(options.suite);
  if (!suite) {
    print_findings(suite.error(), options.quiet);
    return ExitCode::NoInput;
  }
  const auto one = std::ranges::find(suite->cases, options.case_name, &suite::SuiteCase::name);
  if (one == suite->cases.end())
    return end_with(ExitCode::NoInput,
                    fmt::format("{}: there is no case {}", options.suite, options.case_name));
  const Interrupt interrupt;
  const Builds builds(options, interrupt.asked());
  const auto good = builds.id_of(options.good), bad = builds.id_of(options.bad);
  if (!good || !bad) return end_with(ExitCode::NoInput, good ? bad.error() : good.error());
  const auto commits = builds.between(*good, *bad);
  if (!commits) return end_with(ExitCode::NoInput, commits.error());
  const auto good_build = builds.build(*good);
  if (!good_build) return end_with(ExitCode::RunFailed, options.good + ": " + good_build.error());
  const Difference difference(*suite, *one, *good_build, options, interrupt.asked());
  Search search(options, builds, difference, *commits);
  if (const ExitCode begun = search.begin(); begun != ExitCode::Clean) return begun;
  const auto found = search.run();
  return found ? write(options, *commits, *found, search.wanted()) : ExitCode::Interrupted;
}

}  // namespace

void add_bisect(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<BisectOptions>();
  verb->add_option("GOOD", options->good, "A commit without the change")->type_name("")->required();
  verb->add_option("BAD", options->bad, "A later one with it")->type_name("")->required();
  add_suite_file(*verb, "--suite", options->suite);
  verb->add_option("--case", options->case_name, "The case that shows it")
      ->type_name("NAME")
      ->required();
  verb->add_option("--metric", options->metric,
                   "The metric; * is a wildcard (default: the one that changed most)")
      ->type_name("NAME");
  verb->add_option("--repository", options->repository, "The clone that has the commits")
      ->type_name("DIR")
      ->check(CLI::Validator(no_folder, ""));
  verb->add_option("--build-command", options->build, "What builds a commit, run by sh in its tree")
      ->type_name("COMMAND");
  verb->add_option("--programs", options->programs, "Where the programs are then, in its tree")
      ->type_name("DIR");
  verb->add_option("--rounds", options->rounds, "Rounds of a measurement (default: the suite's)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  add_output_options(*verb, options->output);
  verb->add_flag("--quiet", options->quiet, "Do not name each commit that was measured");
  verb->callback([options, &chosen] { chosen = [options] { return bisect(*options); }; });
}

}  // namespace overlane::command
