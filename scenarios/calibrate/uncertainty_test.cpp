#include "scenarios/calibrate/uncertainty.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"

namespace overlane::calibrate {
namespace uncertainty_test {

MeasurementTable table() {
  MeasurementTable table;
  table.name = "made";
  table.hosts.machine.cores = 8;
  table.hosts.machine.nic = BitsPerSecond{25'000'000'000};
  table.hosts.kernel = "k";
  table.systems = {{.name = "routed"}, {.name = "vxlan", .encapsulation = Encapsulation::Vxlan}};
  for (const std::size_t system : {std::size_t{0}, std::size_t{1}}) {
    MeasurementRow row;
    row.system = system;
    row.kernel = "k";
    row.kind = model::TrafficKind::RequestResponse;
    row.figures = {{Quantity::Transactions, 1}};
    table.rows.push_back(row);
  }
  return table;
}

TEST(HostParameters, AClassMultipliesItsConstantsAlone) {
  const MeasurementTable hosts = table();
  const HostModel prior = model_of(*load_profile("stage-estimates"));
  const HostParameters parameters(hosts, prior, {});
  const std::vector<Parameter> moved = {Parameter::of(CostClass::Cpu),
                                        Parameter::of(Constant::Tunnel)};
  const std::vector<double> logarithms = {std::log(2), std::log(3)};
  const HostModel model = parameters.model(moved, logarithms);
  const auto ratio = [&](Constant constant) {
    return nanoseconds_of(constant, model) / nanoseconds_of(constant, prior);
  };
  EXPECT_NEAR(ratio(Constant::PodPath), 2, 0.01);
  EXPECT_NEAR(ratio(Constant::Tunnel), 6, 0.01);
  EXPECT_NEAR(ratio(Constant::CopySend), 1, 0.01);
  EXPECT_NEAR(ratio(Constant::WakeUp), 1, 0.01);
  EXPECT_NEAR(ratio(Constant::Latency), 1, 0.01);
}

TEST(HostParameters, EachConstantAndClassAffectsItsRows) {
  const MeasurementTable hosts = table();
  const HostModel prior = model_of(*load_profile("stage-estimates"));
  const HostParameters parameters(hosts, prior, {"other"});
  const MeasurementRow &routed = hosts.rows[0], &vxlan = hosts.rows[1];
  EXPECT_FALSE(parameters.affects(Parameter::of(Constant::Tunnel), routed));
  EXPECT_TRUE(parameters.affects(Parameter::of(Constant::Tunnel), vxlan));
  EXPECT_FALSE(parameters.affects(Parameter::of(Constant::Connections), routed));
  EXPECT_FALSE(parameters.affects(Parameter::of(Constant::Vhost), routed)) << "NICs of metal";
  for (const CostClass cost_class : kCostClasses)
    EXPECT_TRUE(parameters.affects(Parameter::of(cost_class), routed)) << to_string(cost_class);
  EXPECT_FALSE(parameters.affects(parameters.all().back(), routed)) << "another kernel";
}

/// The interval of 80 % of a normal distribution is 1.28 standard deviations to both sides.
TEST(Uncertainty, AnIntervalHoldsEightyPercent) {
  const std::vector<double> drawn(kDraws, 100);
  const Interval interval = interval_of(100, drawn, 0.06);
  const double factor = std::exp(1.28155 * 0.06);
  EXPECT_NEAR(interval.high, 100 * factor, 1e-3);
  EXPECT_NEAR(interval.low, 100 / factor, 1e-3);
  EXPECT_TRUE(interval.holds(100));
  EXPECT_FALSE(interval.holds(200));
}

/// A link of 10 limits nine of ten hosts: the interval ends at the link's rate, and reaches far
/// below it.
TEST(Uncertainty, AnIntervalOfALimitedFigureIsOneSided) {
  std::vector<double> drawn(18, 10);
  drawn.insert(drawn.end(), {1, 1, 1, 1, 2, 2});
  const Interval interval = interval_of(10, drawn, 0.06);
  EXPECT_LT(interval.low, 1.1);
  EXPECT_LT(interval.high, 10 * std::exp(1.2816 * 0.06));
}

TEST(Uncertainty, ErrorsInCommonCancelInARatio) {
  std::vector<double> drawn, baseline;
  for (std::size_t i = 0; i < kDraws; ++i) {
    baseline.push_back(static_cast<double>(i + 1));
    drawn.push_back(static_cast<double>(i + 1) / 2);
  }
  const Interval ratio = interval_of_ratio(0.5, drawn, baseline, 0.08);
  EXPECT_NEAR(ratio.high, std::exp(1.28155 * 0.08) / 2, 1e-4);
}

TEST(Uncertainty, HostsThatDeliverNothingMakeTheIntervalWide) {
  std::vector<double> drawn(kDraws, 100);
  for (std::size_t i = 0; i < 4; ++i)
    drawn[i] = 0;
  const Interval interval = interval_of(100, drawn, 0.06);
  EXPECT_GT(interval.low, 0);
  EXPECT_LT(interval.low, 1);
  EXPECT_TRUE(interval.holds(100));
}

std::vector<DrawnFigures> draw(const Knowledge& knowledge) {
  const MeasurementTable hosts = table();
  const HostModel model = model_of(*load_profile("stage-estimates"));
  const auto trials = make_trials(hosts, [](const MeasurementRow&) { return true; });
  return *draw_figures(hosts, *trials, model, knowledge, 0);
}

/// Only the jitter of the paths differs from run to run.
TEST(Uncertainty, HostsThatAreKnownAreAllEqual) {
  const std::vector<Parameter> parameters = {Parameter::of(CostClass::Cpu)};
  for (const DrawnFigures& row : draw({parameters, {0}})) {
    const auto [least, most] = std::ranges::minmax(row.front());
    EXPECT_LT(most / least, 1.002);
  }
}

/// The further a figure depends on what is not known, the wider its interval.
TEST(Uncertainty, AnOverlayOnUnknownHostsIsLessCertain) {
  const std::vector<DrawnFigures> rows =
      draw(Knowledge::prior({Parameter::of(CostClass::Cpu), Parameter::of(Constant::Tunnel)}));
  const Interval routed = interval_of(1, rows.at(0).at(0), 0.08),
                 vxlan = interval_of(1, rows.at(1).at(0), 0.08);
  EXPECT_GT(routed.high / routed.low, std::exp(2 * 1.2816 * 0.08));
  EXPECT_GT(vxlan.high / vxlan.low, routed.high / routed.low);
}

TEST(Uncertainty, AProfileKnowsWhatWasMeasured) {
  const std::vector<Parameter> parameters = {
      Parameter::of(CostClass::Cpu), Parameter::of(CostClass::Copies),
      Parameter::of(Constant::Tunnel), Parameter::of(Constant::PodPath)};
  const std::vector<Constant> determined = {Constant::Tunnel};
  const Knowledge known = Knowledge::of_profile(parameters, determined);
  const auto width = [&](std::size_t i) {
    return std::sqrt(known.covariance[i * parameters.size() + i]);
  };
  EXPECT_EQ(width(0), 0);
  EXPECT_EQ(width(1), HostParameters::prior_width(parameters[1]));
  EXPECT_EQ(width(2), kDeterminedWidth);
  EXPECT_EQ(width(3), HostParameters::prior_width(parameters[3]));
}

}  // namespace uncertainty_test
}  // namespace overlane::calibrate
