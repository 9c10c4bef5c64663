#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/library/library.h"
#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/measure/measure.h"
#include "scenarios/runner/runner.h"

namespace overlane::runner {
namespace partitions_test {

/// Runs the first milliseconds of a library scenario and returns a digest of the results.
class Runs {
 public:
  explicit Runs(std::string_view file) {
    const auto prepared =
        prepare({.paths = {source_file("scenarios/library/") + std::string(file)}});
    EXPECT_TRUE(prepared) << file;
    plan_ = make_plan(*prepared, {});
    plan_.options.duration = std::min(plan_.options.duration, milliseconds(20));
    plan_.options.warm_up = std::min(plan_.options.warm_up, milliseconds(5));
    for (LaidOut& variant : plan_.variants) {
      for (run::TimedChange& change : variant.changes)
        change.at.count /= kSooner;
      for (run::NodeJoin& join : variant.joins)
        join.at.count /= kSooner;
    }
  }

  struct Found {
    std::string result_hash;
    std::int64_t events = 0;
    std::int64_t packet_hops = 0;
    bool operator==(const Found&) const = default;
  };
  Found find(std::uint32_t partitions) {
    plan_.options.partitions = partitions;
    auto variants = gather(plan_, carry_out(plan_, 2 * partitions, {}));
    EXPECT_TRUE(variants);
    model::RunReport report;
    report.variants = *std::move(variants);
    Found found{.result_hash = model::result_hash(report)};
    for (const model::VariantResult& variant : report.variants) {
      found.events += variant.engine.events;
      found.packet_hops += variant.engine.packet_hops;
      if (partitions > 1 && variant.engine.one_thread_because.empty()) ++partitioned_;
    }
    return found;
  }
  /// Number of variants so far that ran in several partitions.
  static int partitioned() { return partitioned_; }

 private:
  /// Factor by which events happen earlier than in the scenario: at 5 ms instead of 500 ms.
  static constexpr std::int64_t kSooner = 100;

  Plan plan_;
  static inline int partitioned_ = 0;
};

TEST(Partitions, ChangeNoResultOfALibraryScenario) {
  int scenarios = 0;
  for (const std::string_view name : library::file_names()) {
    if (library::find(name)->find("\nkind: Scenario\n") == std::string_view::npos) continue;
    ++scenarios;
    Runs runs(name);
    const Runs::Found whole = runs.find(1);
    for (const std::uint32_t partitions : {2u, 4u, 8u})
      EXPECT_EQ(runs.find(partitions), whole) << name << " in " << partitions << " partitions";
  }
  EXPECT_GT(scenarios, 10);
  EXPECT_GT(Runs::partitioned(), 30);
}

}  // namespace partitions_test
}  // namespace overlane::runner
