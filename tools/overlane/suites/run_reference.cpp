#include "tools/overlane/suites/run_reference.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "bench/suite/import.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/suites/store_file.h"

namespace overlane::command {
namespace {

using model::SuiteRun;

Result<SuiteRun, ExitCode> refuse(const std::string& why) {
  return fail(end_with(ExitCode::NoInput, why));
}

Result<SuiteRun, ExitCode> read_run(const std::string& file) {
  const auto runs = suite::import_file(file);
  if (!runs) return refuse(runs.error());
  if (runs->size() == 1) return runs->front();
  return refuse(fmt::format("{}: holds {} runs; `overlane store import` takes them into a store",
                            file, runs->size()));
}

/// N of "latest~N"; 0 of "latest".
std::optional<std::size_t> steps_back(std::string_view text) {
  constexpr std::string_view kLatest = "latest";
  if (!text.starts_with(kLatest)) return std::nullopt;
  text.remove_prefix(kLatest.size());
  if (text.empty()) return 0;
  std::size_t steps = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + 1, end, steps);
  return text[0] == '~' && error == std::errc{} && rest == end ? std::optional(steps)
                                                               : std::nullopt;
}

/// The id of the run that is meant, or why none is. `runs`: the oldest first.
Parsed<std::string> choose(const std::string& text, const std::vector<SuiteRun>& runs) {
  std::vector<const SuiteRun*> complete;
  for (const SuiteRun& run : runs)
    if (run.state == model::RunState::Complete && run.purpose == model::RunPurpose::Judged)
      complete.push_back(&run);
  if (const auto steps = steps_back(text)) {
    if (*steps < complete.size()) return complete[complete.size() - 1 - *steps]->id;
    return fail(fmt::format("there are {} complete runs, so no {}", complete.size(), text));
  }
  std::vector<const SuiteRun*> named;
  for (const SuiteRun& run : runs)
    if (run.id.starts_with(text)) named.push_back(&run);
  if (named.size() == 1) return named.front()->id;
  if (named.size() > 1)
    return fail(fmt::format("{} runs begin with {}: {}, {} …", named.size(), text, named[0]->id,
                            named[1]->id));
  const auto of_commit = std::ranges::find_if(
      complete.rbegin(), complete.rend(),
      [&](const SuiteRun* run) { return run->environment.commit.starts_with(text); });
  if (of_commit != complete.rend()) return (*of_commit)->id;
  return fail(
      fmt::format("no complete run of commit {}, no run with such an id, and no such file", text));
}

}  // namespace

Result<SuiteRun, ExitCode> find_run(const std::string& text, const std::string& store_file_given,
                                    const std::string& suite) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) return read_run(text);
  const auto store = open_store(store_file_given, store::Store::Use::Read);
  if (!store) return fail(store.error());
  const auto runs = store->runs({.suite = suite, .commit = "", .complete = false});
  if (!runs) return refuse(runs.error());
  const auto id = choose(text, *runs);
  if (!id) return refuse(fmt::format("{}: {}", store_file(store_file_given), id.error()));
  auto run = store->load(*id);
  if (!run) return refuse(run.error());
  return *std::move(run);
}

}  // namespace overlane::command
