#include "scenarios/calibrate/prediction.h"

#include <string>

#include <gtest/gtest.h>

#include "scenarios/calibrate/files.h"

namespace overlane::calibrate {
namespace prediction_test {

HostModel server() {
  return model_of(*load_profile("stage-estimates"));
}

/// A table of hosts with 25 Gbit/s, without rows.
MeasurementTable hosts(std::vector<System> systems) {
  MeasurementTable table;
  table.name = "test";
  table.hosts.machine.cores = 8;
  table.hosts.machine.nic = BitsPerSecond{25'000'000'000};
  table.hosts.kernel = "k";
  table.systems = std::move(systems);
  return table;
}

MeasurementRow row(std::size_t system, model::TrafficKind kind, Quantity quantity) {
  MeasurementRow row;
  row.system = system;
  row.kernel = "k";
  row.kind = kind;
  row.payload_bytes = 1000;
  row.figures = {{quantity, 1}};
  return row;
}

/// Predictions of all rows of a table, in order.
std::vector<Prediction> predictions(const MeasurementTable& table, const HostModel& model) {
  const auto trials = make_trials(table, [](const MeasurementRow&) { return true; });
  EXPECT_TRUE(trials) << trials.error();
  std::vector<PredictionRequest> requests;
  for (const Trial& trial : *trials)
    requests.push_back({&trial, &model});
  auto answers = predict(requests, 0);
  EXPECT_TRUE(answers) << answers.error();
  return *std::move(answers);
}

const std::vector<System> kEverySystem = {
    {.name = "host", .datapath = cost::Datapath::Host},
    {.name = "routed"},
    {.name = "ipip", .encapsulation = Encapsulation::Ipip},
    {.name = "vxlan", .encapsulation = Encapsulation::Vxlan},
    {.name = "geneve", .encapsulation = Encapsulation::Geneve},
    {.name = "ebpf", .datapath = cost::Datapath::Ebpf},
    {.name = "ebpf vxlan", .datapath = cost::Datapath::Ebpf, .encapsulation = Encapsulation::Vxlan},
};

TEST(TwoHosts, HaveTheEncapsulationAndMtuOfTheRow) {
  MeasurementTable table = hosts(kEverySystem);
  for (std::size_t s = 0; s < kEverySystem.size(); ++s) {
    MeasurementRow one = row(s, model::TrafficKind::Tcp, Quantity::Throughput);
    const auto usual = make_two_hosts(table, one);
    ASSERT_TRUE(usual) << kEverySystem[s].name << ": " << usual.error();
    const auto mtu = [](const TwoHosts& two) {
      return two.network.nodes[0].find_pod(two.pods.source.address)->sending_mtu();
    };
    EXPECT_EQ(mtu(*usual), 1500 - facts(kEverySystem[s].encapsulation).overhead_over_ipv4);
    EXPECT_EQ(usual->network.datapath, kEverySystem[s].datapath);
    one.pod_mtu = 1400;
    one.offloads = {{&cost::Offloads::gso, false}};
    const auto other = make_two_hosts(table, one);
    ASSERT_TRUE(other);
    EXPECT_EQ(mtu(*other), 1400u);
    EXPECT_FALSE(other->network.machines[1].offloads.gso);
    EXPECT_TRUE(other->network.machines[1].offloads.gro);
  }
}

TEST(Prediction, EachQuantityIsInItsUnit) {
  MeasurementTable table = hosts({{.name = "routed"}});
  table.rows = {row(0, model::TrafficKind::RequestResponse, Quantity::Transactions)};
  table.rows[0].figures = {
      {Quantity::Transactions, 1}, {Quantity::ClientCpu, 1}, {Quantity::ServerLoad, 1}};
  HostModel model = server();
  model.latency = microseconds(40);
  const Prediction answer = predictions(table, model).at(0);
  // The round trip is twice the latency plus the CPU time of both ends.
  EXPECT_LT(answer[0], 12'500);
  EXPECT_GT(answer[0], 9'000);
  // Some microseconds of CPU time per transaction; the server's is a share of eight threads.
  EXPECT_GT(answer[1], 5'000);
  EXPECT_LT(answer[1], 20'000);
  EXPECT_NEAR(answer[2], answer[1] * answer[0] / 1e9 / 8, answer[2] / 10);
}

TEST(Prediction, IgnoresConstantsThatDoNotAffectTheSystem) {
  MeasurementTable table = hosts(kEverySystem);
  for (std::size_t s = 0; s < kEverySystem.size(); ++s) {
    table.rows.push_back(row(s, model::TrafficKind::RequestResponse, Quantity::Transactions));
    table.rows.back().figures.push_back({Quantity::ClientCpu, 1});
  }
  const std::vector<Prediction> before = predictions(table, server());
  for (const ConstantFacts& constant : kConstants) {
    Factors factors;
    factors.fill(1);
    factors[static_cast<std::size_t>(constant.constant)] = 3;
    const std::vector<Prediction> after = predictions(table, with_factors(server(), factors));
    for (std::size_t s = 0; s < kEverySystem.size(); ++s) {
      const bool same = after[s] == before[s];
      if (!meets(kEverySystem[s], constant.constant) ||
          !exists(constant.constant, cost::Wire::Nic)) {
        EXPECT_TRUE(same) << constant.name << ", " << kEverySystem[s].name;
      } else if (constant.constant != Constant::Segmentation &&  // Single bytes are not segmented.
                 constant.constant != Constant::Connections) {   // Connections are persistent.
        EXPECT_FALSE(same) << constant.name << ", " << kEverySystem[s].name;
      }
    }
  }
}

TEST(Prediction, DoesNotDependOnTheNumberOfThreads) {
  MeasurementTable table = hosts({{.name = "routed"}});
  table.rows = {row(0, model::TrafficKind::Tcp, Quantity::Throughput),
                row(0, model::TrafficKind::Udp, Quantity::Throughput)};
  const auto trials = make_trials(table, [](const MeasurementRow&) { return true; });
  ASSERT_TRUE(trials);
  const HostModel model = server();
  const std::vector<PredictionRequest> requests = {{&trials->at(0), &model},
                                                   {&trials->at(1), &model}};
  EXPECT_EQ(*predict(requests, 1), *predict(requests, 3));
}

/// Eight streams on few cores lose packets, and a loss that waits for a retransmission timeout is
/// not steady within 14 ms.
TEST(Prediction, IsThatOfTheSteadyState) {
  MeasurementTable table = hosts(kEverySystem);
  for (std::size_t s = 0; s < kEverySystem.size(); ++s) {
    table.rows.push_back(row(s, model::TrafficKind::Tcp, Quantity::Throughput));
    table.rows.push_back(row(s, model::TrafficKind::Tcp, Quantity::Throughput));
    table.rows.back().flows = 8;
  }
  auto trials = make_trials(table, [](const MeasurementRow&) { return true; });
  ASSERT_TRUE(trials) << trials.error();
  const HostModel model = server();
  const auto steady = predict_steady(*trials, model, 0);
  ASSERT_TRUE(steady) << steady.error();
  for (std::size_t i = 0; i < trials->size(); ++i) {
    trials->at(i).span = kSpans.size() - 1;
    const PredictionRequest request{&trials->at(i), &model};
    const auto longest = predict(std::span(&request, 1), 0);
    ASSERT_TRUE(longest);
    const double expected = longest->at(0).at(0);
    if (steady->at(i).is_steady) {
      EXPECT_NEAR(steady->at(i).figures.at(0), expected, 0.05 * expected) << i;
    } else {
      EXPECT_EQ(steady->at(i).figures.at(0), expected) << i;
    }
  }
}

TEST(HostModel, KernelScalesAllCostsExceptThosePerByte) {
  HostModel model = server();
  model.kernels["slow"] = 2;
  const cost::CostProfile slow = costs_under(model, "slow");
  const cost::StageCost& before = model.costs[cost::Stage::SocketSend];
  EXPECT_EQ(slow[cost::Stage::SocketSend].per_skb, before.per_skb * 2);
  EXPECT_EQ(slow[cost::Stage::SocketSend].per_byte, before.per_byte);
  EXPECT_EQ(costs_under(model, "unknown"), model.costs);
}

}  // namespace prediction_test
}  // namespace overlane::calibrate
