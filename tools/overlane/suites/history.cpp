#include "tools/overlane/suites/history.h"

#include <algorithm>
#include <ranges>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/overlane/cli/output.h"
#include "tools/overlane/suites/store_file.h"

namespace overlane::command {

using model::RunPurpose;
using model::SuiteRun;

void add_history_options(CLI::App& verb, HistoryOptions& options) {
  add_store_option(verb, options.store);
  verb.add_option("--suite", options.suite, "The suite (default: that of the latest run)")
      ->type_name("NAME");
  verb.add_option("--last", options.last, "How many runs to look back at")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000));
}

Result<std::vector<SuiteRun>, ExitCode> load_history(const HistoryOptions& options) {
  const auto refuse = [](const std::string& why) { return fail(end_with(ExitCode::NoInput, why)); };
  const auto store = open_store(options.store, store::Store::Use::Read);
  if (!store) return fail(store.error());
  auto known = store->runs({.suite = options.suite, .commit = "", .complete = true});
  if (!known) return refuse(known.error());
  const SuiteRun* latest = model::latest_judged(*known);
  if (latest == nullptr)
    return refuse(fmt::format("{}: no complete run{}", store_file(options.store),
                              options.suite.empty() ? "" : " of suite " + options.suite));
  const std::string suite = latest->suite;
  std::uint32_t left = options.last;
  std::vector<SuiteRun> runs;
  for (const SuiteRun& run : *known | std::views::reverse) {
    if (run.suite != suite || run.purpose == RunPurpose::Noise) continue;
    if (run.purpose == RunPurpose::Judged && left-- == 0) break;
    auto loaded = store->load(run.id);
    if (!loaded) return refuse(loaded.error());
    runs.push_back(*std::move(loaded));
  }
  std::ranges::reverse(runs);
  return runs;
}

}  // namespace overlane::command
