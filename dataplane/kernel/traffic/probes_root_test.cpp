#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/forward/packet.h"
#include "dataplane/kernel/set_up/node_ports.h"
#include "dataplane/kernel/testing/joined_namespaces.h"
#include "dataplane/kernel/traffic/connections.h"
#include "dataplane/kernel/traffic/probes.h"
#include "results/base/testing/measured_on_time.h"

namespace overlane::kernel {
namespace probes_root_test {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr milliseconds kInterval{10};

class ProbesBetween : public testing::JoinedNamespaces {
 protected:
  /// Makes the far end unable to answer for this long: it has no route back.
  void interrupt_answers(milliseconds time) {
    run(*far_, {"route replace blackhole 10.0.0.1/32"});
    std::this_thread::sleep_for(time);
    run(*far_, {"route del 10.0.0.1/32"});
  }
  std::vector<ProbeEnd> ends() const { return {{&*near_, near_address_}, {&*far_, far_address_}}; }
};

milliseconds length_of(const ProbeGap& gap) {
  return gap.end ? std::chrono::round<milliseconds>(*gap.end - gap.begin) : milliseconds(-1);
}

TEST_F(ProbesBetween, AGapIsSeenInTheInterruptedDirection) {
  const auto measure = [&] {
    auto probes = Probes::start(
        ends(),
        {{.from = 0, .to = 1}, {.from = 1, .to = 0}, {.from = 0, .to = 1, .is_answered = true}},
        kInterval);
    EXPECT_TRUE(probes) << probes.error();
    std::this_thread::sleep_for(milliseconds(100));
    interrupt_answers(milliseconds(200));
    std::this_thread::sleep_for(milliseconds(100));
    std::vector<std::vector<std::int64_t>> lengths;
    for (const std::vector<ProbeGap>& path : probes->finish()) {
      lengths.emplace_back();
      for (const ProbeGap& gap : path)
        lengths.back().push_back(length_of(gap).count());
    }
    return lengths;
  };
  const auto right =
      ElementsAre(IsEmpty(), ElementsAre(within(30, 205)), ElementsAre(within(30, 205)));
  EXPECT_THAT(measured_on_time(measure, right), right);
}

TEST_F(ProbesBetween, AGapThatDoesNotEndHasNoEnd) {
  auto probes = Probes::start(ends(), {{.from = 1, .to = 0}}, kInterval);
  ASSERT_TRUE(probes) << probes.error();
  std::this_thread::sleep_for(milliseconds(50));
  run(*far_, {"route replace blackhole 10.0.0.1/32"});
  std::this_thread::sleep_for(milliseconds(50));
  const auto gaps = probes->finish();
  ASSERT_THAT(gaps, ElementsAre(SizeIs(1)));
  EXPECT_FALSE(gaps[0][0].end);
}

TEST_F(ProbesBetween, ADatagramThatFillsTheMtuIsLostBehindASmallerOne) {
  auto probes = Probes::start(
      ends(), {{.from = 1, .to = 0}, {.from = 1, .to = 0, .payload_bytes = 1500 - 28}}, kInterval);
  ASSERT_TRUE(probes) << probes.error();
  run(*far_, {"link set eth0 mtu 1400"});
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_THAT(probes->finish(), ElementsAre(IsEmpty(), SizeIs(1)));
}

TEST_F(ProbesBetween, AConnectionWaitsAsLongAsTheGapAndAnIdleOneSurvivesIt) {
  const auto measure = [&]() -> std::int64_t {
    auto connections =
        Connections::start(ends(),
                           {{.client = 0, .server = 1, .use = ConnectionUse::Requests},
                            {.client = 1, .server = 0, .use = ConnectionUse::Idle}},
                           kInterval);
    EXPECT_TRUE(connections) << connections.error();
    std::this_thread::sleep_for(milliseconds(100));
    interrupt_answers(milliseconds(300));
    std::this_thread::sleep_for(milliseconds(400));
    const auto outcomes = connections->finish(milliseconds(2000));
    EXPECT_THAT(outcomes, ::testing::Each(AllOf(Field(&ConnectionOutcome::failure, ""),
                                                Field(&ConnectionOutcome::is_answered, true))));
    return std::chrono::round<milliseconds>(outcomes.at(0).longest_wait).count();
  };
  // The retransmission timeout is a little more than 200 ms, and doubles once: 600 ms.
  const auto right = AllOf(::testing::Ge(300), ::testing::Le(660));
  EXPECT_THAT(measured_on_time(measure, right), right);
}

TEST_F(ProbesBetween, AStreamPausesAsLongAsNothingArrives) {
  const auto measure = [&](bool data_are_lost) -> std::int64_t {
    const std::uint32_t client = data_are_lost ? 1 : 0;
    auto connections = Connections::start(
        ends(), {{.client = client, .server = 1 - client, .use = ConnectionUse::Stream}},
        kInterval);
    EXPECT_TRUE(connections) << connections.error();
    std::this_thread::sleep_for(milliseconds(100));
    interrupt_answers(milliseconds(300));
    std::this_thread::sleep_for(milliseconds(500));
    const auto outcomes = connections->finish(milliseconds(2000));
    EXPECT_EQ(outcomes.at(0).failure, "");
    EXPECT_TRUE(outcomes.at(0).is_answered);
    return std::chrono::round<milliseconds>(outcomes.at(0).longest_wait).count();
  };
  // Until the retransmission 600 ms after the first lost packet.
  const auto pause = AllOf(::testing::Ge(300), ::testing::Le(680));
  EXPECT_THAT(measured_on_time([&] { return measure(true); }, pause), pause);
  // Without acknowledgements, the client sends on until its first timeout.
  const auto shorter = ::testing::Le(500);
  EXPECT_THAT(measured_on_time([&] { return measure(false); }, shorter), shorter);
}

TEST_F(ProbesBetween, AStreamThatStopsForGoodPausesUntilTheEnd) {
  const auto measure = [&]() -> std::int64_t {
    run(*far_, {"route flush 10.0.0.1/32"});
    auto connections = Connections::start(
        ends(), {{.client = 1, .server = 0, .use = ConnectionUse::Stream}}, kInterval);
    EXPECT_TRUE(connections) << connections.error();
    std::this_thread::sleep_for(milliseconds(50));
    run(*far_, {"route replace blackhole 10.0.0.1/32"});
    std::this_thread::sleep_for(milliseconds(300));
    connections->stop();
    std::this_thread::sleep_for(milliseconds(200));
    const auto outcomes = connections->finish(milliseconds(50));
    EXPECT_FALSE(outcomes.at(0).is_answered);
    return std::chrono::round<milliseconds>(outcomes.at(0).longest_wait).count();
  };
  const auto right = within(30, 305);
  EXPECT_THAT(measured_on_time(measure, right), right);
}

/// Service and NodePort addresses that a namespace translates to one of its own servers.
TEST_F(ProbesBetween, AServiceAnswersFromTheAddressThatWasAsked) {
  const IpAddress service = *IpAddress::parse("100.64.0.10");
  std::vector<Command> commands;
  add_node_ports(std::vector<NodePort>{{30'001, forward::kUdp, {far_address_, kProbePort}},
                                       {30'001, forward::kTcp, {far_address_, kConnectionPort}}},
                 commands);
  commands.push_back({Program::Iptables,
                      "-A PREROUTING -d 100.64.0.10 -p udp --dport 53 -j DNAT --to-destination "
                      "10.0.0.2:7412",
                      "nat"});
  configure(*far_, commands);
  run(*near_, {"route add 100.64.0.0/24 via 10.0.0.2"});
  auto probes = Probes::start(
      ends(),
      {{.from = 0, .to = 1, .is_answered = true, .service = ServiceAddress{service, 53}},
       {.from = 0, .to = 1, .is_answered = true, .service = ServiceAddress{far_address_, 30'001}},
       {.from = 0, .to = 1, .is_answered = true, .service = ServiceAddress{service, 54}}},
      kInterval);
  ASSERT_TRUE(probes) << probes.error();
  auto connections = Connections::start(ends(),
                                        {{.client = 0,
                                          .server = 1,
                                          .use = ConnectionUse::Requests,
                                          .service = ServiceAddress{far_address_, 30'001}}},
                                        kInterval);
  ASSERT_TRUE(connections) << connections.error();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_THAT(probes->finish(), ElementsAre(IsEmpty(), IsEmpty(), SizeIs(1)))
      << "nothing is at port 54";
  const auto outcomes = connections->finish(milliseconds(500));
  EXPECT_EQ(outcomes.at(0).failure, "");
  EXPECT_TRUE(outcomes.at(0).is_answered);
}

TEST_F(ProbesBetween, AConnectionThatCannotBeMadeSaysWhy) {
  run(*near_, {"route replace unreachable 10.0.0.2/32"});
  auto connections = Connections::start(ends(), {{.client = 0, .server = 1}}, kInterval);
  ASSERT_TRUE(connections) << connections.error();
  const auto outcomes = connections->finish(milliseconds(100));
  EXPECT_EQ(outcomes.at(0).failure, "No route to host");
}

}  // namespace probes_root_test
}  // namespace overlane::kernel
