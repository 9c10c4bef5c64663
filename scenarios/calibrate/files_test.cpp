#include "scenarios/calibrate/files.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/calibrate/calibration_report.h"
#include "scenarios/library/library.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::calibrate {

namespace write_profile_test {

using testing::ElementsAre;

TEST(WriteProfile, WrittenModelIsReadBack) {
  const auto prior = load_profile("stage-estimates");
  ASSERT_TRUE(prior);
  CalibrationReport report{.table = {.name = "made"}, .model = model_of(*prior), .fit = Fit{}};
  report.model.latency = nanoseconds(2345);
  report.model.kernels["two"] = 1.25;
  report.model.costs.name = "made";
  report.fit->constants[static_cast<std::size_t>(Constant::Nic)] = {1.5, 0.1, true};
  const auto stream = document::parse(write_profile(report, *prior), "written.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  const auto read = spec::decode_cost_profile_file(stream.documents.front());
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_EQ(model_of(*read), report.model);
  const auto source = [&](cost::Stage stage) {
    return read->sources[static_cast<std::size_t>(stage)];
  };
  EXPECT_TRUE(source(cost::Stage::DriverSend).starts_with("fitted to made (nic x 1.50 ± 10 %)"))
      << source(cost::Stage::DriverSend);
  EXPECT_THAT(read->determined, ElementsAre("nic"));
  EXPECT_TRUE(source(cost::Stage::Veth).starts_with("made does not tell; "));
}

TEST(WriteProfile, UsualProfileIsTheMeanOfTheMeasuredHosts) {
  const auto prior = load_profile(kPriorProfile);
  ASSERT_TRUE(prior);
  spec::CostProfileFile fast = *prior, slow = *prior, silent = *prior;
  fast.costs.name = "fast";
  slow.costs.name = "slow";
  silent.costs.name = "silent";
  fast.costs[cost::Stage::Veth].per_skb = nanoseconds(200);
  slow.costs[cost::Stage::Veth].per_skb = nanoseconds(800);
  fast.determined = slow.determined = {"pod-path"};
  // No row of this host determines the cost, so it follows the speed of the host.
  silent.costs[cost::Stage::Veth].per_skb = nanoseconds(3'200);
  for (spec::CostProfileFile* host : {&fast, &slow, &silent})
    host->costs[cost::Stage::EbpfPass].per_skb = nanoseconds(777);
  const auto stream =
      document::parse(write_usual_profile("made", {fast, slow, silent}, *prior), "written.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  const auto read = spec::decode_cost_profile_file(stream.documents.front());
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_EQ(read->costs.name, "made");
  EXPECT_EQ(read->costs[cost::Stage::Veth].per_skb, nanoseconds(800));
  EXPECT_TRUE(read->sources[static_cast<std::size_t>(cost::Stage::Veth)].starts_with(
      "mean of 3 hosts, of which 2 determine it: fast 200, slow 800 ns per buffer; before the "
      "fits: "));
  EXPECT_EQ(read->costs[cost::Stage::Sleep], prior->costs[cost::Stage::Sleep])
      << "no host determines it";
  EXPECT_TRUE(read->sources[static_cast<std::size_t>(cost::Stage::Sleep)].starts_with(
      "of none of the hosts: "));
  EXPECT_EQ(read->costs[cost::Stage::EbpfPass].per_skb, nanoseconds(777));
  EXPECT_TRUE(read->sources[static_cast<std::size_t>(cost::Stage::EbpfPass)].starts_with(
      "of none of the hosts, but follows their speed: 777 ns per buffer; before the fits: "));
  EXPECT_THAT(read->hosts, ElementsAre("fast", "slow", "silent"));
}

TEST(WriteProfile, OneHostIsNoMean) {
  const auto prior = load_profile(kPriorProfile);
  ASSERT_TRUE(prior);
  spec::CostProfileFile only = *prior;
  only.costs.name = "only";
  only.determined = {"tunnel"};
  only.kernel = "4.15";
  only.costs[cost::Stage::EncapIpip].per_skb = nanoseconds(970);
  const auto stream = document::parse(write_usual_profile("made", {only}, *prior), "written.yaml");
  ASSERT_EQ(stream.documents.size(), 1u);
  const auto read = spec::decode_cost_profile_file(stream.documents.front());
  ASSERT_TRUE(read) << read.error().front().to_string();
  EXPECT_TRUE(read->sources[static_cast<std::size_t>(cost::Stage::EncapIpip)].starts_with(
      "of one host, kernel 4.15: only 970 ns per buffer; before the fits: "))
      << read->sources[static_cast<std::size_t>(cost::Stage::EncapIpip)];
}

TEST(WriteProfile, LibrarysUsualProfilesMatchTheirHosts) {
  const auto prior = load_profile(kPriorProfile);
  ASSERT_TRUE(prior);
  for (const auto wire : {cost::Wire::Nic, cost::Wire::Virtio}) {
    const std::string name = usual_profile(wire);
    const auto hosts = fitted_hosts(wire);
    ASSERT_TRUE(hosts);
    // The library's file begins with a line for editors.
    const std::string_view known = library::find(name + ".yaml").value();
    EXPECT_EQ(write_usual_profile(name.c_str(), *hosts, *prior), known.substr(known.find('\n') + 1))
        << "write it again: tools/check-cost-profiles BUILD_DIR --write";
  }
}

TEST(WriteProfile, VirtualMachinesTellServersAboutTheHypervisorOnly) {
  const auto servers = fitted_hosts(cost::Wire::Nic), guests = fitted_hosts(cost::Wire::Virtio);
  ASSERT_TRUE(servers && guests);
  ASSERT_THAT(*guests, testing::Not(testing::IsEmpty()));
  for (const spec::CostProfileFile& guest : *guests) {
    const auto found = std::ranges::find(*servers, guest.costs.name,
                                         [](const auto& host) { return host.costs.name; });
    ASSERT_NE(found, servers->end());
    EXPECT_EQ(found->costs[cost::Stage::Vhost], guest.costs[cost::Stage::Vhost]);
    EXPECT_EQ(found->costs[cost::Stage::Veth], cost::StageCost());
    EXPECT_NE(guest.costs[cost::Stage::Veth], cost::StageCost());
  }
}

}  // namespace write_profile_test

}  // namespace overlane::calibrate
