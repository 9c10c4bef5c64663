#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace faults_root_test {

using ::testing::HasSubstr;

constexpr const char* kSockets =
    "--pods net_af_packet0,iface=pods0 --uplink net_af_packet1,iface=up0";
constexpr const char* kTaps = "--pods net_tap0,iface=tpods --uplink net_tap1,iface=tup";
const std::string kTwoNodes = std::string(kShoot) + " --nodes 2 ";

/// Exit code and output of a run of the fast path.
struct End {
  std::optional<int> exit_code;
  std::string told;
};

class Faults : public ::testing::Test {
 protected:
  /// Creates a namespace with the interfaces pods0 and up0.
  void SetUp() override {
    if (const std::string why = why_not_live(); !why.empty()) GTEST_SKIP() << why;
    auto made = NearSide::make({});
    ASSERT_TRUE(made) << made.error();
    near.emplace(std::move(*made));
    const auto done = ip(near->middle, {"link add up0 type veth peer name up1", "link set up0 up",
                                        "link set up1 up"});
    ASSERT_TRUE(done) << done.error();
  }

  /// Starts a run with its own folder of files.
  Parsed<Program> start(const std::string& arguments) {
    const auto place = folder.path() / std::to_string(++programs_);
    std::filesystem::create_directory(place);
    return Program::start(near->middle, arguments + " --no-hugepages --idle 50", place);
  }
  End run(const std::string& arguments) {
    auto program = start(arguments);
    if (!program) return {std::nullopt, program.error()};
    const auto exit_code = program->end();
    return {exit_code, program->told()};
  }

  TestFolder folder;
  std::optional<NearSide> near;

 private:
  int programs_ = 0;
};

TEST_F(Faults, LostPortEndsTheFastPath) {
  const std::tuple<const char*, const char*, const char*> ways[] = {
      {kTaps, "tup", "the port to uplink is gone: net_tap1,iface=tup"},
      {kTaps, "tpods", "the port to pods is gone: net_tap0,iface=tpods"},
      {kSockets, "pods0", "the port to pods is gone: net_af_packet0,iface=pods0"},
      {"--pods net_null0 --uplink net_af_packet1,iface=up0", "up0",
       "the port to uplink is gone: net_af_packet1,iface=up0"}};
  for (const auto& [ports, interface, message] : ways) {
    auto program = start(kTwoNodes + ports);
    ASSERT_TRUE(program) << program.error();
    ASSERT_TRUE(program->says("forwarding as")) << program->told();
    ASSERT_TRUE(ip(near->middle, {fmt::format("link delete {}", interface)}));
    EXPECT_EQ(program->end(), 4) << "all buffers back, or it would be 5";
    EXPECT_THAT(program->told(), HasSubstr(message));
    EXPECT_FALSE(program->report().is_null()) << "the counters are told all the same";
  }
}

TEST_F(Faults, SecondInstanceDoesNotGetTheInterfacesOfTheFirst) {
  auto first = start(kTwoNodes + kSockets);
  ASSERT_TRUE(first) << first.error();
  ASSERT_TRUE(first->says("forwarding as")) << first->told();
  const End second = run(kTwoNodes + kSockets);
  EXPECT_EQ(second.exit_code, 4);
  EXPECT_THAT(second.told, HasSubstr("interface pods0 belongs to another overlane-fastpath"));
  EXPECT_TRUE(first->is_running());
  EXPECT_EQ(first->stop(), 0);
  auto third = start(kTwoNodes + kSockets);
  ASSERT_TRUE(third) << third.error();
  EXPECT_TRUE(third->says("forwarding as")) << "free again: " << third->told();
}

TEST_F(Faults, InstancesOnOtherInterfacesAreIndependent) {
  auto first = start(kTwoNodes + kSockets);
  auto second = start(kTwoNodes + kTaps);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(first->says("forwarding as")) << first->told();
  EXPECT_TRUE(second->says("forwarding as")) << second->told();
  EXPECT_EQ(second->stop(), 0);
  EXPECT_TRUE(first->is_running());
  EXPECT_EQ(first->stop(), 0);
}

TEST_F(Faults, UnavailableResourcesAreReportedBeforeForwarding) {
  struct Case {
    std::string arguments;
    int exit_code;
    const char* message;
  };
  const std::string jumbo = "topologies/library/manifests/shoot-aws.yaml --nodes 2 ";
  const std::vector<Case> cases = {
      {jumbo + kSockets, 4, "port net_af_packet0,iface=pods0: an MTU of 9001; it takes 68 to 1500"},
      {kTwoNodes + "--pods net_af_packet0,iface=pods0,framesz=1024 --uplink net_null0", 4,
       "port net_af_packet0,iface=pods0,framesz=1024: cannot have that MTU"},
      {kTwoNodes + "--node nobody " + kSockets, 2,
       "there is no node \"nobody\"; there are node-1, node-2"},
      {"nobody.yaml " + std::string(kSockets), 3, "there is no such file or folder"},
      {kTwoNodes + "--pods net_af_packet0,iface=nix --uplink net_null0", 4,
       "interface nix: No such device"},
      {kTwoNodes + "--pods net_nix0 --uplink net_null0", 4, "failed to parse device \"net_nix0\""},
      {kTwoNodes + "--pods 0000:7f:1f.7 --uplink net_null0", 4,
       "there is no port \"0000:7f:1f.7\""},
      {kTwoNodes + "--buffers 1000000 " + kSockets, 4, "no memory for 1000000 packets"},
      {kTwoNodes + "--memory 128 " + kSockets, 4, "no memory for a longest-prefix match table"}};
  for (const Case& one : cases) {
    const End end = run(one.arguments);
    EXPECT_EQ(end.exit_code, one.exit_code) << one.arguments;
    EXPECT_THAT(end.told, HasSubstr(one.message)) << one.arguments;
  }
}

TEST_F(Faults, MissingHugepagesAreReportedWithAHint) {
  const auto place = folder.path() / "hugepages";
  std::filesystem::create_directory(place);
  // No machine has 1 TiB of free hugepages.
  auto program = Program::start(near->middle, kTwoNodes + "--memory 1048576 " + kSockets, place);
  ASSERT_TRUE(program) << program.error();
  EXPECT_EQ(program->end(), 4);
  EXPECT_THAT(program->told(), HasSubstr("1048576 MiB of free hugepages are needed, there are"));
  EXPECT_THAT(program->told(), HasSubstr("--no-hugepages"));
}

}  // namespace faults_root_test
}  // namespace overlane::fastpath
