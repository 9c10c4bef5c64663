#include <algorithm>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"
#include "scenarios/calibrate/fit.h"

namespace overlane::calibrate {
namespace fit_slow_test {

/// Rows that determine the costs of sockets, pod paths, copying and the wire, under two kernels.
MeasurementTable table() {
  MeasurementTable table;
  table.name = "made";
  table.hosts.machine.cores = 8;
  table.hosts.machine.nic = BitsPerSecond{100'000'000'000};
  table.hosts.kernel = "one";
  table.systems = {{.name = "host", .datapath = cost::Datapath::Host}, {.name = "routed"}};
  const auto add = [&](std::size_t system, model::TrafficKind kind, const char* kernel,
                       std::vector<Quantity> quantities) {
    MeasurementRow row;
    row.system = system;
    row.kernel = kernel;
    row.kind = kind;
    row.payload_bytes = 200;
    for (const Quantity quantity : quantities)
      row.figures.push_back({quantity, 1});
    table.rows.push_back(std::move(row));
  };
  for (const std::size_t system : {std::size_t{0}, std::size_t{1}}) {
    add(system, model::TrafficKind::Tcp, "one", {Quantity::Throughput, Quantity::ClientLoad});
    add(system, model::TrafficKind::Udp, "one", {Quantity::Throughput});
    add(system, model::TrafficKind::RequestResponse, "one",
        {Quantity::Transactions, Quantity::ClientCpu});
  }
  add(0, model::TrafficKind::RequestResponse, "two", {Quantity::Transactions});
  // Without GSO, transport costs accrue per segment and system calls do not.
  add(0, model::TrafficKind::Tcp, "one", {Quantity::Throughput});
  table.rows.back().offloads = {{&cost::Offloads::gso, false}};
  return table;
}

/// Sets the figures of a table to the predictions of a model.
void measure_with(MeasurementTable& table, const HostModel& model) {
  const auto report = judge(table, model, 0);
  ASSERT_TRUE(report) << report.error();
  for (const RowResult& result : report->rows)
    for (std::size_t f = 0; f < result.predicted.size(); ++f)
      table.rows[result.row].figures[f].value = result.predicted[f];
}

const FittedFactor& found(const Fit& fit, Constant constant) {
  return fit.constants[static_cast<std::size_t>(constant)];
}

TEST(Fit, FindsTheConstantsBehindATable) {
  const HostModel prior = model_of(*load_profile("stage-estimates"));
  Factors factors;
  factors.fill(1);
  factors[static_cast<std::size_t>(Constant::PodPath)] = 1.6;
  // A message is a system call and a buffer: rows tell their sum, and the prior divides it.
  for (const Constant constant : {Constant::SystemCalls, Constant::Sockets})
    factors[static_cast<std::size_t>(constant)] = 0.7;
  HostModel truth = with_factors(prior, factors);
  truth.kernels["two"] = 1.5;
  MeasurementTable made = table();
  measure_with(made, truth);

  const auto fit = calibrate::fit(made, prior, 0);
  ASSERT_TRUE(fit) << fit.error();
  EXPECT_NEAR(found(*fit, Constant::PodPath).factor, 1.6, 0.16);
  EXPECT_NEAR(found(*fit, Constant::SystemCalls).factor, 0.7, 0.07);
  EXPECT_NEAR(found(*fit, Constant::Sockets).factor, 0.7, 0.07);
  EXPECT_NEAR(fit->model.kernels.at("two"), 1.5, 0.1);
  for (const Constant constant : {Constant::Tunnel, Constant::EbpfPath, Constant::EbpfTunnel}) {
    EXPECT_FALSE(found(*fit, constant).identified) << to_string(constant);
    EXPECT_EQ(found(*fit, constant).factor,
              fit->classes[static_cast<std::size_t>(CostClass::Cpu)].factor)
        << to_string(constant);
  }

  const auto report = judge(made, fit->model, 0);
  ASSERT_TRUE(report);
  for (const Margin& margin : report->margins)
    EXPECT_LT(margin.mean_error, 0.03) << to_string(margin.kind);
}

/// Twice the time for everything: an overlay that was not measured takes twice the time, too.
TEST(Fit, UndeterminedConstantsFollowTheSpeedOfTheHost) {
  const HostModel prior = model_of(*load_profile("stage-estimates"));
  Factors factors;
  factors.fill(2);
  factors[static_cast<std::size_t>(Constant::Latency)] = 1;
  MeasurementTable made = table();
  measure_with(made, with_factors(prior, factors));
  const auto fit = calibrate::fit(made, prior, 0);
  ASSERT_TRUE(fit) << fit.error();
  EXPECT_FALSE(found(*fit, Constant::Tunnel).identified);
  EXPECT_NEAR(found(*fit, Constant::Tunnel).factor, 2, 0.4);

  // What the rows tell makes an overlay's figures more certain, but not as certain as those of the
  // systems that were measured.
  const Knowledge before = Knowledge::prior(fit->knowledge.parameters);
  const std::size_t count = before.parameters.size();
  const auto position = [&](Parameter parameter) {
    return static_cast<std::size_t>(std::ranges::find(before.parameters, parameter) -
                                    before.parameters.begin());
  };
  const auto variance_of_sum = [&](const Knowledge& knowledge, Parameter a, Parameter b) {
    const auto at = [&](Parameter row, Parameter column) {
      return knowledge.covariance[position(row) * count + position(column)];
    };
    return at(a, a) + at(b, b) + 2 * at(a, b);
  };
  const auto certainty_of = [&](Parameter a, Parameter b) {
    return variance_of_sum(fit->knowledge, a, b) / variance_of_sum(before, a, b);
  };
  const Parameter cpu = Parameter::of(CostClass::Cpu);
  const double tunnel = certainty_of(cpu, Parameter::of(Constant::Tunnel));
  const double path = certainty_of(cpu, Parameter::of(Constant::PodPath));
  EXPECT_LT(tunnel, 0.9);
  EXPECT_LT(path, tunnel);
}

TEST(Fit, KeepsALatencyGivenByTheTable) {
  MeasurementTable made = table();
  made.rows.erase(made.rows.begin() + 1, made.rows.end());
  made.hosts.latency = microseconds(12);
  const HostModel prior = model_of(*load_profile("stage-estimates"));
  measure_with(made, prior);
  const auto fit = calibrate::fit(made, prior, 0);
  ASSERT_TRUE(fit) << fit.error();
  EXPECT_EQ(fit->model.latency, microseconds(12));
}

}  // namespace fit_slow_test
}  // namespace overlane::calibrate
