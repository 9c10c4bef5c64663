// The scenarios of the library have the same results with all events and without those that a fast
// run (RunOptions::fast) leaves out.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/load/prepare.h"
#include "scenarios/runner/runner.h"

namespace overlane::runner {
namespace skipped_events_slow_test {

/// The report without the facts about events and times, and the number of spans.
struct Compared {
  nlohmann::ordered_json report;
  std::int64_t spans = 0;
};

Compared run_once(const Prepared& prepared, Request request, bool fast) {
  request.fast = fast;
  const auto report = run(prepared, request);
  if (!report) throw std::runtime_error(report.error().findings.front().to_string());
  Compared result{.report = model::encode(*report)};
  for (const model::VariantResult& variant : report->variants)
    if (variant.engine.skipped) result.spans += variant.engine.skipped->spans;
  for (auto& variant : result.report["variants"])
    if (!variant["engine"].is_null())
      variant["engine"] = {{"packet_hops", variant["engine"]["packet_hops"]}};
  return result;
}

/// The number of spans of the fast run.
std::int64_t compare(const Prepared& prepared, const Request& request) {
  const Compared full = run_once(prepared, request, false);
  const Compared fast = run_once(prepared, request, true);
  EXPECT_EQ(full.spans, 0);
  EXPECT_EQ(full.report, fast.report) << prepared.scenario.name;
  return fast.spans;
}

TEST(SkippedEvents, ChangeNoResultOfTheLibrary) {
  std::size_t scenarios = 0;
  std::int64_t spans = 0;
  for (const std::string_view file : library::file_names()) {
    if (library::find(file)->find("\nkind: Scenario\n") == std::string_view::npos) continue;
    ++scenarios;
    const Request request{.paths = {source_file("scenarios/library/") + std::string(file)}};
    auto prepared = prepare(request);
    ASSERT_TRUE(prepared) << file;
    compare(*prepared, request);
    // CPU costs and other traffic on the same nodes need all events, so the datagrams also run
    // alone.
    prepared->costs.reset();
    prepared->scenario.concurrent = false;
    spans += compare(*prepared, request);
  }
  EXPECT_EQ(scenarios, 15u);
  EXPECT_GT(spans, 20);
}

}  // namespace skipped_events_slow_test
}  // namespace overlane::runner
