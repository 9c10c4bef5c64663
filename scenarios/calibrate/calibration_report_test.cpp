#include "scenarios/calibrate/calibration_report.h"

#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"

namespace overlane::calibrate {

namespace judge_test {

/// Two systems, one with a tunnel, with one request at a time.
MeasurementTable table(double routed, double vxlan, double spread = 0) {
  MeasurementTable table;
  table.name = "pair";
  table.hosts.kernel = "k";
  table.systems = {{.name = "routed", .family = "x"},
                   {.name = "vxlan", .family = "x", .encapsulation = Encapsulation::Vxlan}};
  for (const std::size_t system : {std::size_t{0}, std::size_t{1}}) {
    MeasurementRow row;
    row.system = system;
    row.kernel = "k";
    row.kind = model::TrafficKind::RequestResponse;
    row.figures = {{Quantity::Transactions, system == 0 ? routed : vxlan}};
    row.spread = spread;
    table.rows.push_back(row);
  }
  return table;
}

CalibrationReport judged(const MeasurementTable& table) {
  auto report = judge(table, model_of(*load_profile("stage-estimates")), 0);
  EXPECT_TRUE(report) << report.error();
  return *std::move(report);
}

std::vector<std::string> rules(const CalibrationReport& report) {
  std::vector<std::string> rules;
  for (const Finding& finding : misses(report))
    rules.push_back(finding.rule);
  return rules;
}

TEST(Judge, OrderIsRightWrongOrTooClose) {
  const CalibrationReport right = judged(table(30'000, 25'000));
  ASSERT_EQ(right.pairs.size(), 1u);
  EXPECT_TRUE(right.pairs[0].right());
  EXPECT_EQ(right.pairs[0].ahead, 0u);
  EXPECT_EQ(right.pairs[0].left_out, "");

  const CalibrationReport wrong = judged(table(25'000, 30'000));
  EXPECT_FALSE(wrong.pairs[0].right());
  EXPECT_EQ(wrong.pairs[0].ahead, 1u);
  EXPECT_EQ(rules(wrong).back(), "order-wrong");

  EXPECT_EQ(judged(table(25'000, 26'000)).pairs[0].left_out, "4.0 % apart, not more than 5 %");
  EXPECT_EQ(judged(table(25'000, 27'500, 0.12)).pairs[0].left_out,
            "10.0 % apart, not more than the table's own spread of 12.0 %");
}

/// What routed rows tell about a tunnel is less certain than what they tell about other routed
/// rows.
TEST(Judge, ARowIsLessCertainIfNoFittedRowHasItsEncapsulationAndDatapath) {
  MeasurementTable made = table(30'000, 25'000);
  const auto is_new = [&] {
    std::vector<bool> rows;
    for (const RowResult& row : judged(made).rows)
      rows.push_back(row.is_new_path);
    return rows;
  };
  made.rows[0].use = made.rows[1].use = Use::Check;
  EXPECT_EQ(is_new(), (std::vector<bool>{true, true}));
  made.rows[0].use = Use::Fit;
  EXPECT_EQ(is_new(), (std::vector<bool>{false, true}));
  made.systems[1].encapsulation = Encapsulation::None;
  EXPECT_EQ(is_new(), (std::vector<bool>{false, false}));
  made.systems[1].datapath = cost::Datapath::Ebpf;
  const CalibrationReport report = judged(made);
  EXPECT_GT(report.rows[1].expected_error(Quantity::Transactions),
            1.5 * report.rows[0].expected_error(Quantity::Transactions));
}

/// Two measurements of one system under one load are no pair of systems; under two loads they are.
TEST(Judge, ARepeatedMeasurementMakesNoPair) {
  MeasurementTable repeated = table(30'000, 25'000);
  repeated.rows[1].system = 0;
  EXPECT_TRUE(judged(repeated).pairs.empty());
  repeated.rows[1].connection_per_request = true;
  EXPECT_EQ(judged(repeated).pairs.size(), 1u);
}

TEST(Judge, MarginsAreMeansOfAbsoluteErrors) {
  const CalibrationReport exact = judged(table(30'000, 25'000));
  const double routed = exact.rows[0].predicted[0], vxlan = exact.rows[1].predicted[0];
  const CalibrationReport off = judged(table(routed / 1.2, vxlan / 1.1));
  ASSERT_EQ(off.margins.size(), 1u);
  EXPECT_EQ(off.margins[0].kind, MarginKind::RequestResponse);
  EXPECT_EQ(off.margins[0].figures, 2u);
  EXPECT_NEAR(off.margins[0].mean_error, 0.15, 1e-6);
  EXPECT_EQ(off.margins[0].allowed, 0.10);
  EXPECT_EQ(rules(off), std::vector<std::string>{"margin-missed"});
  MeasurementTable check = table(routed / 1.2, vxlan / 1.1);
  for (MeasurementRow& row : check.rows)
    row.use = Use::Check;
  EXPECT_TRUE(judged(check).margins[0].met()) << "0.20 for rows that were not fitted";
}

TEST(Judge, RatiosOfRequestsCompareLatencies) {
  const CalibrationReport exact = judged(table(30'000, 25'000));
  const double routed = exact.rows[0].predicted[0], vxlan = exact.rows[1].predicted[0];
  MeasurementTable bound = table(routed, vxlan * 0.9);
  bound.ratios = {{.system = 1, .baseline = 0, .within = 0.05}};
  const CalibrationReport report = judged(bound);
  ASSERT_EQ(report.ratios.size(), 1u);
  EXPECT_NEAR(report.ratios[0].predicted, routed / vxlan, 1e-9);
  EXPECT_NEAR(report.ratios[0].measured, routed / vxlan / 0.9, 1e-9);
  EXPECT_FALSE(report.ratios[0].met());
  EXPECT_EQ(rules(report), std::vector<std::string>{"ratio-missed"});
}

TEST(Judge, SettingsOfTheHostsThatAreNotModelledAreReported) {
  MeasurementTable merging = table(30'000, 25'000);
  merging.hosts.machine.regimes = {
      {.regime = spec::Regime::HardwareGro, .setting = "rx-gro-hw: true"}};
  EXPECT_EQ(rules(judged(merging)).front(), "unsupported-regime");
  EXPECT_EQ(std::ranges::count(rules(judged(table(30'000, 25'000))), "unsupported-regime"), 0);
}

TEST(Judge, ExcludedRowsAreNotPredicted) {
  MeasurementTable one = table(30'000, 25'000);
  one.rows[0].use = Use::LeftOut;
  const CalibrationReport report = judged(one);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows[0].row, 1u);
}

}  // namespace judge_test

}  // namespace overlane::calibrate
