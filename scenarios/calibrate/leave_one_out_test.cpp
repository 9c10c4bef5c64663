#include "scenarios/calibrate/leave_one_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"

namespace overlane::calibrate {
namespace leave_one_out_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

MeasurementRow row(std::size_t system, model::TrafficKind kind, std::uint32_t flows = 1) {
  MeasurementRow row;
  row.system = system;
  row.kernel = "k";
  row.kind = kind;
  row.flows = flows;
  const bool asks = kind == model::TrafficKind::RequestResponse;
  row.figures = {{asks ? Quantity::Transactions : Quantity::Throughput, 1}};
  row.payload_bytes = kind == model::TrafficKind::Udp ? 1000 : 0;
  row.use = Use::Check;
  return row;
}

/// VXLAN and routed, in this order.
MeasurementTable table() {
  MeasurementTable table;
  table.name = "made";
  table.hosts.machine.cores = 8;
  table.hosts.machine.nic = BitsPerSecond{100'000'000'000};
  table.hosts.kernel = "k";
  table.systems = {{.name = "vxlan", .family = "x", .encapsulation = Encapsulation::Vxlan},
                   {.name = "routed", .family = "x"}};
  for (const std::size_t system : {std::size_t{0}, std::size_t{1}})
    for (const auto kind : {model::TrafficKind::Tcp, model::TrafficKind::RequestResponse})
      table.rows.push_back(row(system, kind));
  return table;
}

HostModel estimates() {
  return model_of(*load_profile("stage-estimates"));
}

/// Sets the figures of a table to the predictions of a model.
void measure_with(MeasurementTable& table, const HostModel& model) {
  const auto report = judge(table, model, 0);
  ASSERT_TRUE(report) << report.error();
  for (const RowResult& result : report->rows)
    table.rows[result.row].figures[0].value = result.predicted[0];
}

TEST(LeaveOneOut, BaselinesAreTheFirstRowsWithoutEncapsulation) {
  MeasurementTable made = table();
  EXPECT_THAT(baseline_rows(made), ElementsAre(2u, 3u));
  made.rows[2].figures[0].value = 95e9;
  made.rows.push_back(row(1, model::TrafficKind::Tcp, 2));
  EXPECT_THAT(baseline_rows(made), ElementsAre(4u, 3u)) << "the link limits row 2";
  made.rows[4].figures[0].value = 96e9;
  EXPECT_THAT(baseline_rows(made), ElementsAre(2u, 3u)) << "the link limits both";
  made.rows.pop_back();
  made.rows[3] = row(1, model::TrafficKind::Udp);
  EXPECT_THAT(baseline_rows(made), ElementsAre(2u, 3u)) << "datagrams where nobody asks";
  made.rows[2].kernel = made.rows[3].kernel = "other";
  EXPECT_THAT(baseline_rows(made), IsEmpty());
  const auto none = score(made, estimates(), Measured::Baseline, 0);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->problem, "no row without encapsulation");
}

TEST(LeaveOneOut, APerfectModelHasNoErrorAndIsWithinItsIntervals) {
  MeasurementTable made = table();
  measure_with(made, estimates());
  const auto exact = score(made, estimates(), Measured::Nothing, 0);
  ASSERT_TRUE(exact) << exact.error();
  for (const ScoredKind kind :
       {ScoredKind::Throughput, ScoredKind::Requests, ScoredKind::OverlayRatio}) {
    const Accuracy accuracy = exact->accuracy(kind);
    EXPECT_EQ(accuracy.count, 2u);
    EXPECT_EQ(accuracy.within, 2u);
    EXPECT_LT(accuracy.mean_error, 1e-9);
  }
}

/// A host on which all CPU work takes three times as long.
TEST(LeaveOneOut, TwoBaselineRowsTellTheSpeedOfAHost) {
  MeasurementTable made = table();
  Factors factors;
  factors.fill(3);
  factors[static_cast<std::size_t>(Constant::Latency)] = 1;
  measure_with(made, with_factors(estimates(), factors));
  const auto nothing = score(made, estimates(), Measured::Nothing, 0);
  const auto baseline = score(made, estimates(), Measured::Baseline, 0);
  ASSERT_TRUE(nothing && baseline);
  EXPECT_GT(nothing->accuracy(ScoredKind::Throughput).mean_error, 0.5);
  EXPECT_EQ(baseline->accuracy(ScoredKind::Throughput).count, 1u)
      << "the fitted row does not count";
  EXPECT_LT(baseline->accuracy(ScoredKind::Throughput).mean_error, 0.15);
  EXPECT_EQ(baseline->accuracy(ScoredKind::Throughput).within, 1u);
  EXPECT_LT(baseline->accuracy(ScoredKind::Requests).mean_error, 0.15);

  const Score sum = total({*nothing, *baseline, *baseline}, Measured::Baseline);
  EXPECT_EQ(sum.accuracy(ScoredKind::Throughput).count, 2u);
  EXPECT_EQ(sum.accuracy(ScoredKind::Throughput).mean_error,
            baseline->accuracy(ScoredKind::Throughput).mean_error);
  EXPECT_EQ(sum.pairs, 2 * baseline->pairs);
}

}  // namespace leave_one_out_test
}  // namespace overlane::calibrate
