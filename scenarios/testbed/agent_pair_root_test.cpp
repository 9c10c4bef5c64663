#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/agent/agent.h"
#include "dataplane/kernel/agent/host_dataplane.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "results/base/testing/measured_on_time.h"
#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/testbed/agent_pair.h"
#include "scenarios/testbed/measure.h"
#include "scenarios/testbed/testing/carried_traffic.h"

namespace overlane::testbed {
namespace agent_pair_root_test {

using kernel::Command;
using kernel::NetworkNamespace;
using kernel::Program;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Matcher;

constexpr std::uint16_t kPort = 7411;

agent::Token token() {
  return *agent::Token::of("a secret of more than sixteen bytes");
}

/// The output of a program that runs in a namespace.
std::string shown(const NetworkNamespace& place, const std::vector<std::string>& arguments) {
  const kernel::Inside inside(place);
  return kernel::run_program(arguments, "")->output;
}

/// Devices, addresses, routes, neighbours and forwarding of a namespace.
std::string state_of(const NetworkNamespace& place) {
  std::string text = shown(place, {"ip", "-br", "link"});
  for (const char* family : {"-4", "-6"})
    text += shown(place, {"ip", family, "route", "show", "table", "all"});
  return text + shown(place, {"sysctl", "-a", "-r", "\\.forwarding$"});
}

using Report = runner::Outcome<model::RunReport>;

Matcher<const model::TrafficResult&> stream() {
  return Field(&model::TrafficResult::goodput_bps, Gt(50'000'000));
}
Matcher<const model::TrafficResult&> requests() {
  return Field(&model::TrafficResult::transactions, Gt(50));
}

/// Two namespaces as hosts, 10.77.0.1 and 10.77.0.2, joined by a veth pair; this test is in the
/// first.
class TwoHosts : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(first_ && second_) << first_.error();
    const auto commands = [](int number) {
      return std::vector<Command>{
          {Program::Sysctl, "net/ipv6/conf/eth0/accept_dad=0"},
          {Program::Ip, "link set lo up"},
          {Program::Ip, fmt::format("address add 10.77.0.{}/24 dev eth0", number)},
          {Program::Ip, "link set eth0 up"}};
    };
    const std::vector<Command> wire = {
        {Program::Ip, "link add eth0 type veth peer name eth0 netns world"}};
    ASSERT_TRUE(run_commands(wire, *first_, *second_));
    ASSERT_TRUE(run_commands(commands(1), *first_, *second_));
    ASSERT_TRUE(run_commands(commands(2), *second_, *first_));
    for (const NetworkNamespace* host : {&*first_, &*second_}) {
      ASSERT_TRUE(kernel::wait_until_running(*host, "eth0"));
      // The host does not forward at first. The agents change this and must undo the change.
      ASSERT_TRUE(
          run_commands(std::vector<Command>{{Program::Sysctl, "net/ipv4/conf/eth0/forwarding=0"}},
                       *host, *host));
    }
    before_ = {state_of(*first_), state_of(*second_)};
  }

  void TearDown() override {
    for (pid_t& child : children_)
      if (child > 0) end(child, SIGKILL);
  }

  /// Starts an agent in its own process, which ends after the test at the latest.
  void start(std::size_t host, agent::HostNetwork network = agent::HostNetwork::Pods) {
    const std::string address = fmt::format("10.77.0.{}", host + 1);
    children_[host] = fork();
    if (children_[host] != 0) return;
    const kernel::Inside inside(host == 0 ? *first_ : *second_);
    auto agent = agent::Agent::start({.listen = {address, kPort}, .network = network}, token());
    const std::atomic<bool> never{false};
    if (agent) agent->serve(never);
    _exit(1);
  }
  static void end(pid_t& child, int signal) {
    kill(child, signal);
    waitpid(child, nullptr, 0);
    child = 0;
  }

  /// Connects once both listen.
  std::unique_ptr<AgentPair> connect(const agent::Token& known = token()) {
    const kernel::Inside inside(*first_);
    for (int i = 0; i < 100; ++i) {
      auto pair = AgentPair::connect({agent::Endpoint{"10.77.0.1", kPort}, {"10.77.0.2", kPort}},
                                     known, stop_);
      if (pair) return *std::move(pair);
      problem_ = pair.error();
      if (problem_.find("refused") == std::string::npos ||
          problem_.find("token") != std::string::npos)
        break;
      std::this_thread::sleep_for(milliseconds(50));
    }
    return nullptr;
  }

  Report measured(AgentPair& pair, std::uint32_t slices = 2,
                  std::function<void(const MeasureProgress&)> on_progress = {}) {
    const std::string file = ::testing::TempDir() + "overlane-agents.yaml";
    std::ofstream(file) << "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\n"
                           "metadata: {name: measured}\nspec:\n"
                           "  manifests: ["
                        << source_file("topologies/library/manifests/shoot-aws.yaml")
                        << "]\n"
                           "  baseline: routed\n  variants:\n"
                           "  - {name: routed, networkConfig: {overlay: {enabled: false}}}\n"
                           "  - {name: vxlan, networkConfig: "
                           "{overlay: {enabled: true}, vxlan: {enabled: true}}}\n"
                           "  duration: 10ms\n  concurrent: false\n"
                           "  traffic:\n  - {name: bulk, kind: tcp}\n"
                           "  - {name: datagrams, kind: udp, payloadBytes: 200, rate: 8Mbit/s}\n"
                           "  - {name: requests, kind: request-response}\n";
    runner::Request request{.paths = {file}, .subject = {.nodes = 2}};
    request.steering.stop = &stop_;
    const auto prepared = runner::prepare(request);
    if (!prepared) return fail(prepared.error());
    MeasureOptions options{.least_slices = slices, .most_slices = slices};
    options.slice.times = {.warm_up = milliseconds(50), .counted = milliseconds(150)};
    options.on_progress = std::move(on_progress);
    return measure(*prepared, request, options, pair);
  }

  bool is_clean_soon(std::size_t host) const {
    const NetworkNamespace& place = host == 0 ? *first_ : *second_;
    for (int i = 0; i < 100; ++i) {
      if (state_of(place) == before_[host]) return true;
      std::this_thread::sleep_for(milliseconds(50));
    }
    return false;
  }

  Parsed<NetworkNamespace> first_ = NetworkNamespace::make(), second_ = NetworkNamespace::make();
  std::array<std::string, 2> before_;
  std::array<pid_t, 2> children_{};
  std::atomic<bool> stop_{false};
  std::string problem_;
};

TEST_F(TwoHosts, RoutedAndVxlanAreMeasuredAndNothingIsLeft) {
  start(0);
  start(1);
  const auto pair = connect();
  ASSERT_TRUE(pair) << problem_;
  std::string during;
  const auto right = each_variant_carries(
      ElementsAre(stream(), Field(&model::TrafficResult::goodput_bps, within(1'500'000, 8'000'000)),
                  requests()));
  const Report report = measured_on_time(
      [&] {
        return measured(*pair, 2, [&](const MeasureProgress&) {
          if (during.empty()) during = state_of(*first_);
        });
      },
      right);
  ASSERT_TRUE(report);
  EXPECT_THAT(report, right);
  EXPECT_THAT(during, AllOf(HasSubstr("ovl-0-p0"), HasSubstr("ovl-1-vxlan"),
                            HasSubstr("198.19.0.0/24 via 10.77.0.2 dev eth0 proto 79"),
                            HasSubstr("198.19.1.0/24 via 198.19.1.0 dev ovl-1-vxlan"),
                            HasSubstr("net.ipv4.conf.eth0.forwarding = 1")));
  const auto finished = pair->finish();
  EXPECT_TRUE(finished) << finished.error();
  for (const std::size_t host : {0u, 1u})
    EXPECT_EQ(state_of(host == 0 ? *first_ : *second_), before_[host]);

  EXPECT_EQ(report->executor, model::Executor::Kernel);
  ASSERT_EQ(report->variants.size(), 2u);
  for (const model::VariantResult& variant : report->variants) {
    ASSERT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
    ASSERT_TRUE(variant.kernel);
    EXPECT_EQ(variant.kernel->slices, 2);
    ASSERT_EQ(variant.kernel->hosts.size(), 2u);
    EXPECT_EQ(variant.kernel->hosts[1].address, "10.77.0.2:7411");
    EXPECT_EQ(variant.kernel->hosts[1].uplink, "eth0");
    EXPECT_EQ(variant.dataplane->pod_mtu, variant.name == "vxlan" ? 1450 : 1500);
    ASSERT_EQ(variant.traffic.size(), 3u);
    EXPECT_EQ(variant.traffic[1].latency_ns.count(), 0) << "two hosts have no common clock";
    EXPECT_GT(variant.traffic[2].latency_ns.quantile(1, 2), 5'000);
    EXPECT_TRUE(variant.traffic[0].cpu);
  }
  EXPECT_THAT(report->findings, Contains(Field(&Finding::rule, "one-machine")));
  const auto read = model::decode_run_report(model::encode(*report));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(model::encode(*read), model::encode(*report));
}

TEST_F(TwoHosts, AnAgentThatIsKilledEndsTheMeasurementWithWhatThereIs) {
  start(0);
  start(1);
  const auto pair = connect();
  ASSERT_TRUE(pair) << problem_;
  const auto report = measured(*pair, 1000, [&](const MeasureProgress& now) {
    if (now.slice == 2 && children_[1] != 0) end(children_[1], SIGKILL);
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(model::ending_of(*report), model::Ending::Interrupted);
  for (const model::VariantResult& variant : report->variants) {
    EXPECT_EQ(variant.status, model::VariantStatus::Partial);
    EXPECT_THAT(variant.reason, HasSubstr("agent 10.77.0.2:7411: the connection ended"));
    EXPECT_GT(variant.traffic.at(0).goodput_bps, 50'000'000) << "of the first slice";
  }
  EXPECT_THAT(report->findings,
              Contains(AllOf(Field(&Finding::rule, kHostLost),
                             Field(&Finding::message, HasSubstr("10.77.0.2:7411")))));

  // Pods disappear with the process. The next agent finds everything else that stays, and its
  // message says how to remove it.
  {
    const kernel::Inside inside(*second_);
    const auto refused = agent::Agent::start({.listen = {"10.77.0.2", kPort}}, token());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error(), AllOf(HasSubstr("ip link delete ovl-1-vxlan"),
                                       HasSubstr("ip -4 route flush table all proto 79")));
    EXPECT_EQ(kernel::run_program({"sh", "-c", agent::leftovers().value()}, "")->code, 0);
    // The kernel needs some time to remove the pods.
    for (int i = 0; i < 100 && agent::leftovers() != ""; ++i)
      std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(agent::leftovers().value(), "");
  }
}

TEST_F(TwoHosts, WhatWasMadeIsRemovedWhenTheClientDisappears) {
  start(0);
  start(1);
  const pid_t client = fork();
  if (client == 0) {
    const auto pair = connect();
    if (pair) static_cast<void>(measured(*pair, 1000));
    _exit(0);
  }
  bool is_there = false;
  for (int i = 0; i < 200 && !is_there; ++i) {
    std::this_thread::sleep_for(milliseconds(50));
    is_there = shown(*second_, {"ip", "-br", "link"}).find("ovl-1-vxlan") != std::string::npos;
  }
  EXPECT_TRUE(is_there) << "it was under way";
  kill(client, SIGKILL);
  waitpid(client, nullptr, 0);
  EXPECT_TRUE(is_clean_soon(0)) << state_of(*first_);
  EXPECT_TRUE(is_clean_soon(1)) << state_of(*second_);
}

TEST_F(TwoHosts, CtrlCEndsTheMeasurementAndTheAgentsRemoveAll) {
  start(0);
  start(1);
  auto pair = connect();
  ASSERT_TRUE(pair) << problem_;
  const auto report = measured(*pair, 1000, [&](const MeasureProgress& now) {
    if (now.slice == 2) stop_ = true;
  });
  pair.reset();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants.at(0).status, model::VariantStatus::Partial);
  EXPECT_THAT(report->variants.at(0).reason, HasSubstr("interrupted"));
  EXPECT_TRUE(is_clean_soon(0) && is_clean_soon(1));
}

TEST_F(TwoHosts, AWrongTokenIsRefused) {
  start(0);
  start(1);
  EXPECT_FALSE(connect(*agent::Token::of("another secret of many bytes")));
  EXPECT_EQ(problem_, "agent 10.77.0.1:7411: it refuses: wrong token");
}

TEST_F(TwoHosts, ARouteInTheWayIsNamedAndLeftAlone) {
  ASSERT_TRUE(
      run_commands(std::vector<Command>{{Program::Ip, "route add 198.19.0.0/16 via 10.77.0.1"}},
                   *second_, *first_));
  before_[1] = state_of(*second_);
  start(0);
  start(1);
  const auto pair = connect();
  ASSERT_TRUE(pair) << problem_;
  const auto report = measured(*pair);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants.at(0).status, model::VariantStatus::Unsupported);
  EXPECT_THAT(report->variants.at(0).reason,
              HasSubstr("agent 10.77.0.2:7411: the host has a route in 198.19.0.0/24"));
  ASSERT_TRUE(pair->finish());
  EXPECT_EQ(state_of(*first_), before_[0]);
  EXPECT_EQ(state_of(*second_), before_[1]);
}

TEST_F(TwoHosts, TheNetworkAsItIsIsOneVariant) {
  start(0, agent::HostNetwork::AsIs);
  start(1, agent::HostNetwork::AsIs);
  const auto pair = connect();
  ASSERT_TRUE(pair) << problem_;
  std::string during;
  const auto right = each_variant_carries(ElementsAre(stream(), ::testing::_, requests()));
  const Report report = measured_on_time(
      [&] {
        return measured(*pair, 2, [&](const MeasureProgress&) { during = state_of(*second_); });
      },
      right);
  ASSERT_TRUE(report);
  EXPECT_THAT(report, right);
  EXPECT_EQ(during, before_[1]) << "nothing is made";
  ASSERT_EQ(report->variants.size(), 1u);
  const model::VariantResult& variant = report->variants[0];
  EXPECT_EQ(variant.name, "as it is");
  EXPECT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
  EXPECT_FALSE(variant.dataplane);
  EXPECT_THAT(report->findings, Contains(Field(&Finding::rule, "as-is")));
}

TEST_F(TwoHosts, AgentsOfDifferentNetworksAreNotMixed) {
  start(0);
  start(1, agent::HostNetwork::AsIs);
  EXPECT_FALSE(connect());
  EXPECT_THAT(problem_, HasSubstr("start both with the same --network"));
}

}  // namespace agent_pair_root_test
}  // namespace overlane::testbed
