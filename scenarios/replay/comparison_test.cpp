#include "scenarios/replay/comparison.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::replay {
namespace comparison_test {

using migration::Outage;
using migration::SwitchResult;

/// Two nodes whose pods reach each other in one direction only, predicted and observed.
struct Case {
  SwitchResult predicted{.presence = migration::Presence(2, {{}, migration::kNever})};
  Observation observation{.nodes = {"a", "b"},
                          .traffic = {kTraffic.begin(), kTraffic.end()},
                          .interval = milliseconds(10),
                          .begin = seconds(10),
                          .end = seconds(100)};

  Case& predict(Picos begin, std::optional<Picos> end, Traffic traffic = Traffic::PodToPod) {
    auto& outages = traffic == Traffic::FullSize ? predicted.full_size : predicted.outages;
    outages.push_back({.from = 0, .to = 1, .begin = begin, .end = end});
    return *this;
  }
  Case& observe(Picos begin, std::optional<Picos> end, Traffic traffic = Traffic::PodToPod) {
    observation.interruptions.push_back({traffic, 0, 1, begin, end});
    return *this;
  }
  ComparedPair pair(Traffic traffic = Traffic::PodToPod) const {
    for (const ComparedPair& pair : compare(predicted, observation).pairs)
      if (pair.traffic == traffic && pair.from == 0) return pair;
    return {};
  }
};

TEST(Comparison, OfADurationAllowsATenthOrAFifthOfASecond) {
  EXPECT_TRUE(Case()
                  .predict(seconds(20), seconds(21))
                  .observe(seconds(20), milliseconds(21'200))
                  .pair()
                  .agrees());
  EXPECT_FALSE(Case()
                   .predict(seconds(20), seconds(21))
                   .observe(seconds(20), milliseconds(21'201))
                   .pair()
                   .agrees());
  EXPECT_TRUE(
      Case().predict(seconds(20), seconds(40)).observe(seconds(20), seconds(42)).pair().agrees());
  EXPECT_FALSE(Case()
                   .predict(seconds(20), seconds(40))
                   .observe(seconds(20), milliseconds(42'001))
                   .pair()
                   .agrees());
  EXPECT_FALSE(Case().predict(seconds(20), seconds(40)).pair().agrees());
  EXPECT_FALSE(Case().observe(seconds(20), seconds(21)).pair().agrees());
  EXPECT_TRUE(Case().pair().agrees());
}

TEST(Comparison, DistinguishesOneLongInterruptionFromManyShortOnes) {
  Case made;
  made.predict(seconds(20), seconds(24));
  for (std::int64_t i = 0; i < 4; ++i)
    made.observe(seconds(20 + 2 * i), seconds(21 + 2 * i));
  EXPECT_EQ(made.pair().observed.total, made.pair().predicted.total);
  EXPECT_EQ(made.pair().off_by(), seconds(3));
  EXPECT_FALSE(made.pair().agrees());
}

TEST(Comparison, DistinguishesAnInterruptionThatLasts) {
  EXPECT_TRUE(Case().predict(seconds(20), {}).observe(seconds(20), {}).pair().agrees());
  EXPECT_FALSE(Case().predict(seconds(20), {}).observe(seconds(20), seconds(100)).pair().agrees());
}

TEST(Comparison, CountsTheObservedTimeAlone) {
  const ComparedPair pair =
      Case().predict(Picos{}, seconds(12)).observe(seconds(10), seconds(12)).pair();
  EXPECT_EQ(pair.predicted.total, seconds(2));
  EXPECT_TRUE(pair.agrees());
}

TEST(Comparison, OfFullDatagramsCountsTimesInWhichSmallerOnesArrive) {
  Case made;
  made.predict(seconds(20), seconds(22)).predict(seconds(22), seconds(25), Traffic::FullSize);
  made.observe(seconds(20), milliseconds(22'010));
  made.observe(seconds(20), milliseconds(25'010), Traffic::FullSize);
  EXPECT_EQ(made.pair(Traffic::FullSize).observed.total, milliseconds(2'980));
  EXPECT_TRUE(made.pair(Traffic::FullSize).agrees());
}

TEST(Comparison, AgreesIf95PercentOfThePairsDo) {
  Comparison made;
  made.pairs.resize(100);
  for (std::size_t i = 0; i < 5; ++i)
    made.pairs[i].observed.lasts = true;
  EXPECT_EQ(made.agreeing(), 95u);
  EXPECT_TRUE(made.agrees());
  made.pairs[5].observed.lasts = true;
  EXPECT_FALSE(made.agrees());
}

TEST(Comparison, OfAConnectionSaysWhetherItEnds) {
  const auto agrees = [](std::optional<Picos> end, bool is_answered, const std::string& failure) {
    Case made;
    made.predict(seconds(20), end);
    made.observation.connections = {
        {.client = 1, .server = 0, .is_answered = is_answered, .failure = failure}};
    EXPECT_FALSE(compare(made.predicted, made.observation).connections.at(0).pause);
    return compare(made.predicted, made.observation).connections.at(0).agrees();
  };
  EXPECT_TRUE(agrees(seconds(23), true, ""));
  EXPECT_FALSE(agrees(seconds(23), false, ""));
  EXPECT_FALSE(agrees(seconds(23), true, "Connection reset by peer"));
  EXPECT_FALSE(agrees(std::nullopt, true, ""));
  EXPECT_TRUE(agrees(std::nullopt, false, ""));
  EXPECT_TRUE(agrees(std::nullopt, false, "Connection timed out"));
}

TEST(Comparison, OfAStreamAllowsEveryTimeOfTheRetransmission) {
  const auto agrees = [](Picos pause, const std::string& failure = "") {
    Case made;
    made.predict(seconds(20), seconds(25));
    made.observation.connections = {{.use = kernel::ConnectionUse::Stream,
                                     .client = 0,
                                     .server = 1,
                                     .longest_wait = pause,
                                     .is_answered = true,
                                     .failure = failure}};
    return compare(made.predicted, made.observation).connections.at(0).agrees();
  };
  EXPECT_TRUE(agrees(seconds(5)));
  EXPECT_TRUE(agrees(*migration::tcp_stall(seconds(5))));
  EXPECT_TRUE(agrees(milliseconds(4'500)));
  EXPECT_FALSE(agrees(milliseconds(4'499)));
  EXPECT_FALSE(agrees(seconds(8)));
  EXPECT_FALSE(agrees(seconds(5), "Connection reset by peer"));
}

TEST(Comparison, OfAStreamAllowsTheNextRetransmissionIfALittleLongerOutageReachesIt) {
  const auto agrees = [](Picos outage, Picos pause) {
    Case made;
    if (outage != Picos{}) made.predict(seconds(20), seconds(20) + outage);
    made.observation.connections = {{.use = kernel::ConnectionUse::Stream,
                                     .client = 0,
                                     .server = 1,
                                     .longest_wait = pause,
                                     .is_answered = true}};
    return compare(made.predicted, made.observation).connections.at(0).agrees();
  };
  // After the first lost packet and the loss probe, it sends again after 0.2 s and 0.6 s.
  EXPECT_TRUE(agrees(milliseconds(190), milliseconds(720)));
  EXPECT_FALSE(agrees(milliseconds(190), milliseconds(1'500)));
  EXPECT_TRUE(agrees({}, milliseconds(200)));
  EXPECT_FALSE(agrees({}, milliseconds(201)));
}

TEST(Comparison, OfAStreamWithoutEndAllowsALateBegin) {
  const auto agrees = [](Picos pause) {
    Case made;
    made.predict(seconds(95), {});  // The observation ends at 100 s.
    made.observation.connections = {
        {.use = kernel::ConnectionUse::Stream, .client = 0, .server = 1, .longest_wait = pause}};
    return compare(made.predicted, made.observation).connections.at(0).agrees();
  };
  EXPECT_TRUE(agrees(milliseconds(4'980)));
  EXPECT_TRUE(agrees(milliseconds(4'500)));
  EXPECT_FALSE(agrees(milliseconds(4'499)));
  EXPECT_FALSE(agrees(milliseconds(5'201)));
}

TEST(Comparison, OfAConnectionByANodePortKnowsThatARouteByAnotherDeviceEndsIt) {
  const auto agrees = [](std::optional<Picos> changed_at, const std::string& failure) {
    Case made;
    if (changed_at) made.predicted.ended = {{.from = 1, .to = 0, .at = *changed_at}};
    made.observation.connections = {{.traffic = Traffic::NodePort,
                                     .client = 1,
                                     .server = 0,
                                     .is_answered = failure.empty(),
                                     .failure = failure}};
    return compare(made.predicted, made.observation).connections.at(0).agrees();
  };
  const std::string reset = "Connection reset by peer";
  EXPECT_TRUE(agrees(seconds(50), reset));
  EXPECT_FALSE(agrees(seconds(50), ""));
  EXPECT_FALSE(agrees(std::nullopt, reset));
  EXPECT_TRUE(agrees(seconds(200), "")) << "after the end of the observation";
}

TEST(Comparison, OfRequestsByNodePortsIsThatOfTheNodesOwn) {
  Case made;
  made.predicted.node_to_pod = {{.from = 0, .to = 1, .begin = seconds(20), .end = seconds(22)}};
  made.observe(seconds(20), seconds(22), Traffic::NodePort);
  EXPECT_TRUE(made.pair(Traffic::NodePort).agrees());
  EXPECT_FALSE(made.pair(Traffic::NodeToPod).agrees());
}

TEST(Comparison, OfDnsQueriesNeedsBothDirectionsToACoreDnsPod) {
  Case made;
  made.predict(seconds(20), seconds(22));
  made.predicted.outages.push_back({.from = 1, .to = 0, .begin = seconds(22), .end = seconds(23)});
  made.observe(seconds(20), seconds(23), Traffic::Dns);
  EXPECT_EQ(made.pair(Traffic::Dns).predicted.total, seconds(3));
  EXPECT_TRUE(made.pair(Traffic::Dns).agrees());
  made.observation.nodes.push_back("c");
  made.predicted.presence.push_back({{}, migration::kNever});
  const auto count = [&](Traffic traffic) {
    return std::ranges::count(compare(made.predicted, made.observation).pairs, traffic,
                              &ComparedPair::traffic);
  };
  EXPECT_EQ(count(Traffic::PodToPod), 6);
  EXPECT_EQ(count(Traffic::Dns), 4) << "to the first and the last node";
}

TEST(Comparison, IsAboutTheProbedTrafficOnly) {
  Case made;
  made.observation.traffic = {Traffic::PodToPod};
  EXPECT_EQ(compare(made.predicted, made.observation).pairs.size(), 2u);
  EXPECT_EQ(compare_figures({made.predicted}, made.observation).size(), 1u);
}

TEST(CompareFigures, AreInTheRangeOfTheSeeds) {
  Case one, other;
  one.predict(seconds(20), seconds(22));
  other.predict(seconds(20), seconds(26));
  const auto agrees = [&](Picos length) {
    Case observed;
    observed.observe(seconds(50), seconds(50) + length);
    return compare_figures({one.predicted, other.predicted}, observed.observation).front().agrees();
  };
  EXPECT_TRUE(agrees(seconds(2)));
  EXPECT_TRUE(agrees(seconds(6)));
  EXPECT_FALSE(agrees(seconds(1)));
  EXPECT_FALSE(agrees(seconds(7)));
  EXPECT_FALSE(
      compare_figures({one.predicted, other.predicted}, Case().observation).front().agrees());
}

}  // namespace comparison_test
}  // namespace overlane::replay
