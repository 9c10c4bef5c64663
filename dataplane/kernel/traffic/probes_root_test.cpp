#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
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

/// Two namespaces joined by a veth pair.
class ProbesBetween : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(near_ && far_) << near_.error();
    run(*near_, {"link add eth0 type veth peer name eth0 netns world",
                 "address add 10.0.0.1/24 dev eth0", "link set eth0 up"});
    run(*far_, {"address add 10.0.0.2/24 dev eth0", "link set eth0 up"});
    ASSERT_TRUE(wait_until_running(*near_, "eth0"));
  }
  void run(const NetworkNamespace& place, const std::vector<std::string>& lines) {
    std::vector<Command> commands;
    for (const std::string& line : lines)
      commands.push_back({Program::Ip, line});
    const auto done = run_commands(commands, place, &place == &*near_ ? *far_ : *near_);
    ASSERT_TRUE(done) << done.error();
  }
  /// Makes the far end unable to answer for this long: it has no route back.
  void interrupt_answers(milliseconds time) {
    run(*far_, {"route replace blackhole 10.0.0.1/32"});
    std::this_thread::sleep_for(time);
    run(*far_, {"route del 10.0.0.1/32"});
  }
  std::vector<ProbeEnd> ends() const {
    return {{&*near_, *IpAddress::parse("10.0.0.1")}, {&*far_, *IpAddress::parse("10.0.0.2")}};
  }

  Parsed<NetworkNamespace> near_ = NetworkNamespace::make(), far_ = NetworkNamespace::make();
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

TEST_F(ProbesBetween, AConnectionThatCannotBeMadeSaysWhy) {
  run(*near_, {"route replace unreachable 10.0.0.2/32"});
  auto connections = Connections::start(ends(), {{.client = 0, .server = 1}}, kInterval);
  ASSERT_TRUE(connections) << connections.error();
  const auto outcomes = connections->finish(milliseconds(100));
  EXPECT_EQ(outcomes.at(0).failure, "No route to host");
}

}  // namespace probes_root_test
}  // namespace overlane::kernel
