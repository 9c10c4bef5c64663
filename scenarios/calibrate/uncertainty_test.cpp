#include "scenarios/calibrate/uncertainty.h"

#include <cmath>

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

TEST(Uncertainty, IndependentParametersAddTheirVariances) {
  const Knowledge prior =
      Knowledge::prior({Parameter::of(CostClass::Cpu), Parameter::of(Constant::Tunnel)});
  const double cpu = HostParameters::prior_width(prior.parameters[0]);
  const double tunnel = HostParameters::prior_width(prior.parameters[1]);
  EXPECT_NEAR(prior.variance(std::vector<double>{1, 0}), cpu * cpu, 1e-12);
  EXPECT_NEAR(prior.variance(std::vector<double>{1, -2}), cpu * cpu + 4 * tunnel * tunnel, 1e-12);
}

/// The interval of 80 % of a normal distribution is 1.28 standard deviations to both sides.
TEST(Uncertainty, AnIntervalHoldsEightyPercent) {
  const Knowledge exact = Knowledge::prior({});
  const Interval interval = interval_of(100, Quantity::Throughput, {}, exact);
  const double factor = std::exp(1.2816 * model_error(Quantity::Throughput));
  EXPECT_NEAR(interval.high, 100 * factor, 1e-9);
  EXPECT_NEAR(interval.low, 100 / factor, 1e-9);
  EXPECT_TRUE(interval.holds(100));
  EXPECT_FALSE(interval.holds(200));
}

TEST(Uncertainty, ErrorsInCommonCancelInARatio) {
  const Knowledge prior = Knowledge::prior({Parameter::of(CostClass::Cpu)});
  const std::vector<double> gradient = {-1};
  const Interval figure = interval_of(1, Quantity::Throughput, gradient, prior);
  const Interval ratio = interval_of_ratio(1, Quantity::Throughput, gradient, gradient, prior);
  EXPECT_LT(ratio.high, figure.high);
  EXPECT_NEAR(ratio.high, std::exp(1.2816 * std::sqrt(2) * model_error(Quantity::Throughput)),
              1e-9);
}

TEST(Uncertainty, SensitivitiesAreThoseOfTheSimulation) {
  const MeasurementTable hosts = table();
  const HostModel model = model_of(*load_profile("stage-estimates"));
  const auto trials = make_trials(hosts, [](const MeasurementRow&) { return true; });
  ASSERT_TRUE(trials) << trials.error();
  const std::vector<Parameter> parameters = {Parameter::of(CostClass::Cpu),
                                             Parameter::of(Constant::Tunnel)};
  const auto rows = sensitivities(hosts, *trials, model, parameters, 0);
  ASSERT_TRUE(rows) << rows.error();
  const std::vector<double>&routed = rows->at(0).gradients.at(0),
        &vxlan = rows->at(1).gradients.at(0);
  // More CPU work means fewer requests, by less than in proportion: they wait for the wire, too.
  EXPECT_LT(routed[0], 0);
  EXPECT_GT(routed[0], -1);
  EXPECT_LT(vxlan[0], routed[0]) << "an overlay has more CPU work";
  EXPECT_EQ(routed[1], 0);
  EXPECT_LT(vxlan[1], 0);
}

}  // namespace uncertainty_test
}  // namespace overlane::calibrate
