#include <algorithm>
#include <atomic>
#include <charconv>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/suite.h"
#include "bench/suite/suite_runner.h"
#include "results/base/text.h"
#include "results/model/suite_run.h"
#include "results/report/run_values_text.h"
#include "results/report/text.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/process.h"
#include "tools/overlane/cli/progress_line.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/suite_runs.h"

namespace overlane::command {
namespace {

using model::CaseRun;
using model::SuiteRun;

/// A part of a sweep: every `count`-th case, beginning with case `number`.
struct Shard {
  std::size_t number = 1;  ///< From 1.
  std::size_t count = 1;
};

struct SweepOptions {
  std::string suite;
  std::string store;
  std::string build;
  std::string shard;
  unsigned jobs = 0;
  bool quiet = false;
  OutputOptions output;
};

/// "2/4".
std::optional<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.number);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, shard.count);
  const bool is_whole = second.ec == std::errc{} && second.ptr == end;
  return is_whole && 1 <= shard.number && shard.number <= shard.count ? std::optional(shard)
                                                                      : std::nullopt;
}

std::string shard_fault(const std::string& text) {
  return parse_shard(text) ? "" : fmt::format("\"{}\" is not like 2/4", text);
}

/// Runs the cases of a shard on several cores and stores each result when its case ends.
class Sweep {
 public:
  Sweep(const suite::Suite& suite, std::vector<const suite::SuiteCase*> cases, std::string build,
        store::Store store, SuiteRun run, const std::atomic<bool>& stop, bool shown)
      : suite_(suite),
        cases_(std::move(cases)),
        build_(std::move(build)),
        store_(std::move(store)),
        run_(std::move(run)),
        stop_(stop),
        shown_(shown) {}

  /// Returns the run with its cases in the suite's order, or an error of the store.
  Parsed<SuiteRun> run(unsigned jobs) {
    if (auto added = store_.add(run_); !added) return fail(added.error());
    results_.resize(cases_.size());
    {
      std::vector<std::jthread> workers;
      for (unsigned i = 0; i < std::max(1u, jobs); ++i)
        workers.emplace_back([this] { work(); });
    }
    if (shown_) print_aside("\r\x1b[K");
    if (!problem_.empty()) return fail(problem_);
    for (std::optional<CaseRun>& result : results_)
      if (result) run_.cases.push_back(*std::move(result));
    run_.state = stop_ ? model::RunState::Interrupted : model::RunState::Complete;
    run_.ended_ms = store::unix_ms();
    if (auto ended = store_.finish(run_.id, run_.state, *run_.ended_ms); !ended)
      return fail(ended.error());
    return run_;
  }

 private:
  void work() {
    for (std::size_t i; !stop_ && (i = next_++) < cases_.size();) {
      auto result = suite::run_once(suite_, *cases_[i], build_, stop_);
      if (!result) return;
      const std::lock_guard lock(mutex_);
      if (auto kept = store_.put_case(run_.id, *result, i); !kept) {
        problem_ = kept.error();
        next_ = cases_.size();
        return;
      }
      results_[i] = *std::move(result);
      if (shown_) print_aside(fmt::format("\r\x1b[K{} of {} cases", ++done_, cases_.size()));
    }
  }

  const suite::Suite& suite_;
  std::vector<const suite::SuiteCase*> cases_;
  std::string build_;
  store::Store store_;
  SuiteRun run_;
  const std::atomic<bool>& stop_;
  bool shown_;

  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  ///< Guards the members below.
  std::vector<std::optional<CaseRun>> results_;
  std::string problem_;
  std::size_t done_ = 0;
};

ExitCode write(const SweepOptions& options, const SuiteRun& run) {
  switch (options.output.format) {
    case Format::Json:
      return write_json(options.output, model::encode(run));
    case Format::Csv:
      return write_text(options.output, report::run_values_csv(run));
    default:
      return write_text(options.output, report::run_values_text(run, output_style(options.output)));
  }
}

ExitCode sweep(const SweepOptions& options) {
  const auto suite = suite::load_suite(options.suite);
  if (!suite) {
    print_findings(suite.error(), options.quiet);
    return ExitCode::NoInput;
  }
  const Shard shard = parse_shard(options.shard).value_or(Shard{});
  std::vector<const suite::SuiteCase*> cases;
  for (std::size_t i = shard.number - 1; i < suite->cases.size(); i += shard.count)
    cases.push_back(&suite->cases[i]);
  auto store = open_store(options.store, store::Store::Use::Write);
  if (!store) return store.error();
  const std::string build = options.build.empty() ? folder_of_this_program() : options.build;
  const std::int64_t start = store::unix_ms();
  SuiteRun run{.id = store::new_run_id(start),
               .suite = suite->name,
               .suite_digest = suite->digest,
               .started_ms = start,
               .shard = options.shard,
               .environment = environment_of_build(build)};
  const Interrupt interrupt;
  Sweep work(*suite, std::move(cases), build, *std::move(store), std::move(run), interrupt.asked(),
             !options.quiet && stderr_is_terminal());
  const unsigned jobs = options.jobs == 0 ? std::thread::hardware_concurrency() : options.jobs;
  const auto done = work.run(jobs);
  if (!done) return end_with(ExitCode::RunFailed, done.error());
  if (const ExitCode written = write(options, *done); written != ExitCode::Clean) return written;
  if (interrupt.asked()) return ExitCode::Interrupted;
  const bool all_ran = std::ranges::all_of(
      done->cases, [](const CaseRun& one) { return one.status == model::CaseStatus::Complete; });
  return all_ran ? ExitCode::Clean : ExitCode::RunFailed;
}

struct MergeOptions {
  std::string store;
  std::vector<std::string> files;
};

/// Whether two shards belong to the same sweep: same suite file, same build, same number of shards.
bool is_same_sweep(const SuiteRun& a, const SuiteRun& b) {
  return a.suite == b.suite && a.suite_digest == b.suite_digest &&
         a.environment.commit == b.environment.commit &&
         a.shard.substr(a.shard.find('/')) == b.shard.substr(b.shard.find('/'));
}

/// Joins the cases of all shards of a sweep into one run, in the suite's order. Fails with the
/// missing shards.
Parsed<SuiteRun> join(const store::Store& store, const std::vector<SuiteRun>& shards) {
  const std::size_t count = parse_shard(shards.front().shard)->count;
  std::vector<SuiteRun> parts(count);
  for (const SuiteRun& shard : shards) {
    auto loaded = store.load(shard.id);
    if (!loaded) return fail(loaded.error());
    parts[parse_shard(shard.shard)->number - 1] =
        *std::move(loaded);  // The latest run of each shard number.
  }
  std::string missing;
  for (std::size_t i = 0; i < count; ++i)
    if (parts[i].id.empty()) missing += fmt::format(" {}/{}", i + 1, count);
  if (!missing.empty())
    return fail(fmt::format("{}: these shards are missing:{}", shards.front().suite, missing));
  SuiteRun whole = parts.front();
  whole.id = store::new_run_id(whole.started_ms);
  whole.shard = "";
  whole.cases.clear();
  for (std::size_t row = 0;; ++row) {
    const std::size_t before = whole.cases.size();
    for (SuiteRun& part : parts)
      if (row < part.cases.size()) whole.cases.push_back(std::move(part.cases[row]));
    if (whole.cases.size() == before) break;
  }
  return whole;
}

/// Replaces the shards of each complete sweep with one run. Reports missing shards.
Parsed<void> join_shards(store::Store& store) {
  auto runs = store.runs({.suite = "", .commit = "", .complete = true});
  if (!runs) return fail(runs.error());
  std::erase_if(*runs, [](const SuiteRun& run) { return run.shard.empty(); });
  while (!runs->empty()) {
    std::vector<SuiteRun> shards, others;
    for (SuiteRun& run : *runs)
      (is_same_sweep(run, runs->front()) ? shards : others).push_back(run);
    const auto whole = join(store, shards);
    if (whole) {
      if (auto added = store.add(*whole); !added) return added;
      for (const SuiteRun& shard : shards)
        if (auto removed = store.remove(shard.id); !removed) return removed;
      print_aside(
          fmt::format("{}: {} shards are one run, {}\n", whole->suite, shards.size(), whole->id));
    } else {
      print_aside(whole.error() + '\n');
    }
    *runs = std::move(others);
  }
  return {};
}

ExitCode merge(const MergeOptions& options) {
  auto into = open_store(options.store, store::Store::Use::Write);
  if (!into) return into.error();
  std::size_t added = 0;
  for (const std::string& file : options.files) {
    const auto from = store::Store::open(file, store::Store::Use::Read);
    if (!from) return end_with(ExitCode::NoInput, from.error());
    const auto runs = from->runs();
    if (!runs) return end_with(ExitCode::NoInput, runs.error());
    for (const SuiteRun& run : *runs) {
      if (into->has(run.id)) continue;
      const auto whole = from->load(run.id);
      if (!whole) return end_with(ExitCode::NoInput, whole.error());
      if (auto put = into->add(*whole); !put) return end_with(ExitCode::RunFailed, put.error());
      ++added;
    }
  }
  print_aside(fmt::format("{} added\n", report::counted_text(added, "run")));
  const auto joined = join_shards(*into);
  return joined ? ExitCode::Clean : end_with(ExitCode::RunFailed, joined.error());
}

}  // namespace

void add_sweep(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<SweepOptions>();
  add_suite_file(*verb, "SUITE", options->suite);
  verb->add_option("--shard", options->shard,
                   "Only the I-th of N equal parts, for one of N machines")
      ->type_name("I/N")
      ->check(CLI::Validator(shard_fault, ""));
  verb->add_option("--jobs", options->jobs, "Programs at once (default: one per core)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  verb->add_option("--build", options->build,
                   "The folder of the programs to run (default: of this program)")
      ->type_name("DIR")
      ->check(CLI::Validator(no_folder, ""));
  add_store_option(*verb, options->store);
  add_output_options(*verb, options->output, ResultShape::Rows);
  verb->add_flag("--quiet", options->quiet, "No progress");
  verb->callback([options, &chosen] { chosen = [options] { return sweep(*options); }; });
}

void add_merge(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<MergeOptions>();
  verb->add_option("STORE", options->files, "The stores to take runs from")
      ->type_name("")
      ->required();
  add_store_option(*verb, options->store);
  verb->callback([options, &chosen] { chosen = [options] { return merge(*options); }; });
}

}  // namespace overlane::command
