#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/calibrate/files.h"

namespace overlane::calibrate {
namespace fidelity_test {

/// Known violations of the library's profiles, by rule (reasons: docs/reference/calibration.md).
/// Additional ones are regressions; fixed ones must be removed from this list.
const std::map<std::string, std::vector<std::string>> kKnownMisses = {
    {"krd-kvm", {"order-wrong", "order-wrong", "order-wrong", "order-wrong"}},
    {"kvm", {"order-wrong"}},
    {"namespaces", {"ratio-missed"}},
    {"namespaces-vm", {"ratio-missed"}},
};

class Fidelity : public ::testing::TestWithParam<std::string> {};

TEST_P(Fidelity, LibraryProfileIsWithinTheMargins) {
  const auto table = load_table(GetParam());
  ASSERT_TRUE(table) << table.error().front().to_string();
  EXPECT_EQ(table->name, GetParam());
  const auto profile = load_profile(GetParam());
  ASSERT_TRUE(profile) << profile.error().front().to_string();
  const auto report = judge(*table, model_of(*profile), 0);
  ASSERT_TRUE(report) << report.error();
  EXPECT_FALSE(report->rows.empty());

  std::vector<std::string> rules;
  std::string text;
  for (const Finding& finding : misses(*report)) {
    rules.push_back(finding.rule);
    text += finding.to_string() + "\n";
  }
  const auto known = kKnownMisses.find(GetParam());
  EXPECT_EQ(rules, known == kKnownMisses.end() ? std::vector<std::string>{} : known->second)
      << text;
}

INSTANTIATE_TEST_SUITE_P(Library, Fidelity, ::testing::ValuesIn(fitted_tables()));

TEST(FidelityOfTheKernelHere, RatiosOfTunnelAndRoutedMatchTheMeasurements) {
  const auto table = load_table("namespaces");
  ASSERT_TRUE(table);
  const auto report = judge(*table, model_of(*load_profile("namespaces")), 0);
  ASSERT_TRUE(report) << report.error();
  std::size_t fitted = 0;
  for (const Ratio& ratio : report->ratios) {
    const MeasurementRow& row = table->rows[ratio.row];
    if (row.use != Use::Fit) continue;
    ++fitted;
    EXPECT_TRUE(ratio.met()) << load_of(row) << ": " << ratio.predicted << ", measured "
                             << ratio.measured;
  }
  EXPECT_EQ(fitted, 4u) << "TCP with GSO and without, UDP, ping-pong";
}

}  // namespace fidelity_test
}  // namespace overlane::calibrate
