#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/suite.h"
#include "bench/suite/suite_runner.h"
#include "results/base/text.h"
#include "results/model/suite_run.h"
#include "results/report/judgement_text.h"
#include "results/report/text.h"
#include "results/stats/judge.h"
#include "results/stats/judge_json.h"
#include "results/stats/noise.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

using model::CaseRun;
using model::CaseStatus;
using model::SuiteRun;

struct BenchOptions {
  std::string suite;
  std::string store;
  std::string build;
  std::string against;
  std::vector<std::string> only;
  std::uint32_t rounds = 0;  ///< 0: as defined in the suite.
  std::vector<std::string> limits;
  bool noise = false;
  bool resume = false;
  bool list = false;
  bool quiet = false;
  OutputOptions output;
};

/// A lock, held for the object's lifetime, so that only one program measures on this machine.
class MachineLock {
 public:
  MachineLock() : file_(open(kFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kForAll)) {
    if (file_ >= 0) is_ours_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
  }
  MachineLock(const MachineLock&) = delete;
  MachineLock& operator=(const MachineLock&) = delete;
  ~MachineLock() {
    if (file_ >= 0) close(file_);
  }

  /// Returns false while another program has the lock. Returns true if no lock file can be made.
  bool is_ours() const { return is_ours_; }

 private:
  /// All users of the machine share the lock, so its folder must be writable for all.
  static constexpr const char* kFile = "/tmp/overlane-bench.lock";
  static constexpr mode_t kForAll = 0666;

  int file_;
  bool is_ours_ = true;
};

/// The cases selected by --only, or all cases.
std::vector<const suite::SuiteCase*> chosen_cases(const suite::Suite& suite,
                                                  const std::vector<std::string>& only) {
  std::vector<const suite::SuiteCase*> cases;
  for (const suite::SuiteCase& one : suite.cases) {
    const bool named = std::ranges::any_of(
        only, [&](const std::string& pattern) { return matches_pattern(one.name, pattern); });
    if (only.empty() || named) cases.push_back(&one);
  }
  return cases;
}

/// Shows the running case in a line on standard error if that is a terminal.
class CaseProgress {
 public:
  explicit CaseProgress(bool shown) : line_(shown) {}

  void start(std::size_t number, std::size_t count, std::string name) {
    head_ = fmt::format("case {} of {}: {}", number, count, std::move(name));
  }
  void show(const suite::Round& round) {
    std::string rounds = fmt::format("round {} of {}", round.number, round.min);
    if (round.max > round.min) rounds += fmt::format(" to {}", round.max);
    line_.show(fmt::format("{}, {}", head_, rounds));
  }
  void erase() { line_.erase(); }

 private:
  StatusLine line_;
  std::string head_;
};

/// The runs of the changed build and, if there is one, of the base build, in memory and in the
/// store.
class Recording {
 public:
  Recording(store::Store store, std::vector<SuiteRun> runs)
      : store_(std::move(store)), runs_(std::move(runs)) {}

  const std::vector<SuiteRun>& runs() const { return runs_; }
  bool has(const std::string& case_name) const {
    return find_case(runs_.front(), case_name) != nullptr;
  }

  Parsed<void> begin() {
    for (const SuiteRun& run : runs_)
      if (auto added = store_.add(run); !added) return added;
    return {};
  }
  /// Stores each build's measurements of the case with this number.
  Parsed<void> keep(std::vector<CaseRun> measured, std::size_t number) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (auto put = store_.put_case(runs_[i].id, measured[i], number); !put) return put;
      runs_[i].cases.push_back(std::move(measured[i]));
    }
    return {};
  }
  Parsed<stats::JudgementLimits> limits(const std::vector<std::string>& given) const {
    return limits_for(runs_.front(), given, &store_);
  }
  Parsed<void> finish(model::RunState state) {
    for (SuiteRun& run : runs_) {
      run.state = state;
      run.ended_ms = store::unix_ms();
      if (auto ended = store_.finish(run.id, state, *run.ended_ms); !ended) return ended;
    }
    return {};
  }

 private:
  store::Store store_;
  std::vector<SuiteRun> runs_;
};

/// Makes a new run for each build.
std::vector<SuiteRun> new_runs(const suite::Suite& suite, const std::vector<std::string>& builds,
                               bool is_noise) {
  std::vector<SuiteRun> runs;
  for (const std::string& build : builds) {
    const std::int64_t start = store::unix_ms();
    runs.push_back({.id = store::new_run_id(start),
                    .suite = suite.name,
                    .suite_digest = suite.digest,
                    .started_ms = start,
                    .environment = environment_of_build(build),
                    .accepted = suite.accepted});
  }
  if (runs.size() == 2) {
    runs[0].beside = runs[1].id;
    runs[1].beside = runs[0].id;
    runs[0].purpose = is_noise ? model::RunPurpose::Noise : model::RunPurpose::Judged;
    runs[1].purpose = is_noise ? model::RunPurpose::Noise : model::RunPurpose::Base;
  }
  return runs;
}

bool is_same_build(const model::Environment& a, const model::Environment& b) {
  return a.commit == b.commit && a.compiler == b.compiler && a.flags == b.flags &&
         a.build_type == b.build_type && a.cpu_model == b.cpu_model;
}

/// Whether `run` is an unfinished run with the same properties as the new run `wanted`.
bool can_continue(const SuiteRun& run, const SuiteRun& wanted) {
  return run.state != model::RunState::Complete && run.suite_digest == wanted.suite_digest &&
         run.purpose == wanted.purpose && run.beside.empty() == wanted.beside.empty() &&
         is_same_build(run.environment, wanted.environment);
}

/// The latest unfinished runs of these builds and this suite, with their cases.
Parsed<std::vector<SuiteRun>> unfinished_runs(const store::Store& store,
                                              const std::vector<SuiteRun>& wanted) {
  auto known = store.runs({.suite = wanted.front().suite, .commit = "", .complete = false});
  if (!known) return fail(known.error());
  std::ranges::reverse(*known);
  for (const SuiteRun& run : *known) {
    if (!can_continue(run, wanted.front())) continue;
    std::vector<SuiteRun> found;
    for (const std::string& id : {run.id, run.beside}) {
      if (id.empty()) continue;
      auto loaded = store.load(id);
      if (!loaded) return fail(loaded.error());
      found.push_back(*std::move(loaded));
    }
    if (found.size() == 2 && !can_continue(found[1], wanted[1])) continue;
    return found;
  }
  return fail(
      fmt::format("there is no unfinished run of this suite by this build to continue; the "
                  "suite's file, the commit and the compiler must be the same"));
}

std::string case_line(const CaseRun& one) {
  if (one.status == CaseStatus::Complete)
    return fmt::format("{}: {} of {}, {:.1f} s\n", one_line(one.name),
                       report::counted_text(one.metrics.size(), "metric"),
                       report::counted_text(one.rounds.size(), "round"), one.seconds);
  return report::wrapped(
      "",
      fmt::format("{}: {}: {}", one_line(one.name), to_string(one.status), one_line(one.reason)),
      80);
}

/// Runs the cases without results. Returns nothing if interrupted, or an error of the store.
class Bench {
 public:
  Bench(const BenchOptions& options, const suite::Suite& suite, std::vector<std::string> builds,
        Recording& recording, ResultStream& out, const std::atomic<bool>& stop)
      : options_(options),
        recording_(recording),
        out_(out),
        stop_(stop),
        progress_(!options.quiet && stderr_is_terminal()),
        runner_(suite, std::move(builds),
                {.rounds = rounds_of(suite),
                 .stop = &stop,
                 .on_round = [this](const suite::Round& round) { progress_.show(round); }}) {}

  Parsed<void> run(const std::vector<const suite::SuiteCase*>& cases) {
    for (std::size_t i = 0; i < cases.size() && !stop_; ++i) {
      if (recording_.has(cases[i]->name)) continue;
      progress_.start(i + 1, cases.size(), one_line(cases[i]->name));
      auto measured = runner_.run(*cases[i]);
      progress_.erase();
      if (!measured) break;
      if (options_.output.format == Format::Table) {
        out_.write(case_line(measured->front()));
        out_.flush();
      }
      if (auto kept = recording_.keep(*std::move(measured), i); !kept) return kept;
    }
    return recording_.finish(stop_ ? model::RunState::Interrupted : model::RunState::Complete);
  }

 private:
  suite::Rounds rounds_of(const suite::Suite& suite) const {
    constexpr std::uint32_t kNoiseRounds = 40;
    suite::Rounds rounds = suite.rounds;
    if (options_.noise) rounds.min = rounds.max = kNoiseRounds;
    if (options_.rounds != 0) rounds.min = rounds.max = options_.rounds;
    return rounds;
  }

  const BenchOptions& options_;
  Recording& recording_;
  ResultStream& out_;
  const std::atomic<bool>& stop_;
  CaseProgress progress_;
  suite::SuiteRunner runner_;
};

/// Writes the result that follows the lines of the cases, or the whole result.
void write_result(const BenchOptions& options, const std::vector<SuiteRun>& runs,
                  const std::optional<stats::Judgement>& judgement, ResultStream& out) {
  switch (options.output.format) {
    case Format::Json:
      out.write(model::encode(runs.front())
                    .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                '\n');
      return;
    case Format::JsonLines:
      for (const SuiteRun& run : runs)
        out.write(model::suite_run_lines(run));
      return;
    default:
      out.write(fmt::format("run {}\n", runs.front().id));
      if (judgement)
        out.write('\n' + report::judgement_text({runs[1], runs[0], *judgement}, false,
                                                output_style(options.output)));
  }
}

void write_noise(const BenchOptions& options, const std::vector<SuiteRun>& runs,
                 std::size_t night_rounds, ResultStream& out) {
  const auto noise = stats::noise_of(runs[1], runs[0], night_rounds);
  if (options.output.format == Format::Table)
    out.write(fmt::format("run {}\n\n", runs.front().id) +
              report::noise_text(noise, night_rounds, output_style(options.output)));
  else
    out.write(stats::encode(noise, runs.front(), night_rounds).dump(2) + '\n');
}

ExitCode list_cases(const std::vector<const suite::SuiteCase*>& cases,
                    const BenchOptions& options) {
  std::string text;
  for (const suite::SuiteCase* one : cases)
    text += fmt::format("{} (owner: {})\n", one_line(one->name), one_line(one->owner));
  return write_text(options.output, text);
}

/// Warns about accepted changes that refer to another base and can be removed.
void warn_of_other_bases(const suite::Suite& suite, const std::string& base) {
  for (const model::AcceptedChange& change : suite.accepted)
    if (!base.starts_with(change.base))
      print_aside(report::wrapped(
          "",
          fmt::format("overlane: warning: {}: the accepted change of {} is for the base {}, "
                      "and this one is {}: it has no effect",
                      suite.file, one_line(change.metric), one_line(change.base),
                      base.empty() ? "unknown" : base.substr(0, 12)),
          80));
}

ExitCode run_suite(const BenchOptions& options, const suite::Suite& suite,
                   const std::vector<const suite::SuiteCase*>& cases) {
  std::vector<std::string> builds{options.build.empty() ? folder_of_this_program() : options.build};
  if (options.noise) builds.push_back(builds.front());
  if (!options.against.empty()) builds.push_back(options.against);
  auto store = open_store(options.store, store::Store::Use::Write);
  if (!store) return store.error();
  std::vector<SuiteRun> runs = new_runs(suite, builds, options.noise);
  if (options.resume) {
    auto unfinished = unfinished_runs(*store, runs);
    if (!unfinished) return end_with(ExitCode::NoInput, unfinished.error());
    runs = *std::move(unfinished);
  }
  const MachineLock lock;
  if (!lock.is_ours() && !options.quiet)
    print_aside(
        "overlane: warning: another `overlane bench` measures on this machine: the times "
        "of both will be noisy\n");

  if (!options.against.empty() && !options.quiet)
    warn_of_other_bases(suite, runs.back().environment.commit);

  const Interrupt interrupt;
  Recording recording(*std::move(store), std::move(runs));
  if (!options.resume)
    if (auto begun = recording.begin(); !begun) return end_with(ExitCode::RunFailed, begun.error());
  ResultStream out(options.output.file);
  Bench bench(options, suite, builds, recording, out, interrupt.asked());
  if (auto ran = bench.run(cases); !ran) return end_with(ExitCode::RunFailed, ran.error());

  const std::vector<SuiteRun>& done = recording.runs();
  std::optional<stats::Judgement> judgement;
  if (options.noise) {
    write_noise(options, done, suite.rounds.min, out);
  } else {
    if (done.size() == 2) {
      const auto limits = recording.limits(options.limits);
      if (!limits) return end_with(ExitCode::Usage, limits.error());
      judgement = stats::judge(done[1], done[0], *limits);
    }
    write_result(options, done, judgement, out);
  }
  if (const ExitCode written = out.finish(); written != ExitCode::Clean) return written;
  if (interrupt.asked()) {
    if (!options.quiet)
      print_aside("overlane: interrupted; the same command with --continue runs the other cases\n");
    return ExitCode::Interrupted;
  }
  if (!options.quiet && options.output.format == Format::Table && builds.size() == 1)
    print_aside(report::wrapped("",
                                "overlane: note: `overlane store show latest` prints the "
                                "measurements; `--against DIR`, the folder of another build's "
                                "programs, measures that one in alternation",
                                80));
  if (judgement && judgement->any_regression()) return ExitCode::Finding;
  const bool all_ran = std::ranges::all_of(
      done.front().cases, [](const CaseRun& one) { return one.status == CaseStatus::Complete; });
  return all_ran ? ExitCode::Clean : ExitCode::RunFailed;
}

ExitCode bench(const BenchOptions& options) {
  const auto suite = suite::load_suite(options.suite);
  if (!suite) {
    print_findings(suite.error(), options.quiet);
    return ExitCode::NoInput;
  }
  const auto cases = chosen_cases(*suite, options.only);
  if (cases.empty())
    return end_with(ExitCode::NoInput,
                    fmt::format("{}: no case has such a name; --list prints them", options.suite));
  return options.list ? list_cases(cases, options) : run_suite(options, *suite, cases);
}

}  // namespace

void add_bench(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<BenchOptions>();
  add_suite_file(*verb, "SUITE", options->suite);
  verb->add_option("--build", options->build,
                   "The folder of the programs to measure (default: of this program)")
      ->type_name("DIR")
      ->check(CLI::Validator(no_folder, ""));
  verb->add_option("--against", options->against,
                   "The folder of another build's programs, which run in alternation with them: "
                   "the base that they are judged by")
      ->type_name("DIR")
      ->check(CLI::Validator(no_folder, ""));
  verb->add_option("--only", options->only, "Only the cases with such names; * is a wildcard")
      ->type_name("NAME")
      ->delimiter(',');
  verb->add_option("--rounds", options->rounds, "Rounds of each case with times")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  verb->add_flag("--aa", options->noise,
                 "Measure the noise: run the build against itself, in 40 rounds, and say which "
                 "changes can be told from noise here")
      ->excludes("--against");
  add_limit_option(*verb, options->limits);
  verb->add_flag("--continue", options->resume,
                 "Go on with the latest unfinished run of this suite and build");
  verb->add_flag("--list", options->list, "Print the names of the cases and exit");
  add_store_option(*verb, options->store);
  add_output_options(*verb, options->output, ResultShape::Records);
  verb->add_flag("--quiet", options->quiet, "No progress, no notes");
  verb->callback([options, &chosen] { chosen = [options] { return bench(*options); }; });
}

}  // namespace overlane::command
