#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::fastpath {
namespace bench_test {

using command::Answer;
using command::run_overlane;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kShort =
    " --no-hugepages --memory 256 --routes 4 --flows 16 --packets 5000 --repeat 1";

TEST(Bench, MeasuresEveryModeOfTheCniInBothDirections) {
  const Answer answer =
      run_overlane("bench topologies/library/manifests/shoot-aws.yaml -o json" + kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  const auto report = nlohmann::json::parse(answer.out);
  EXPECT_EQ(report["kind"], "FastpathReport");
  std::set<std::pair<std::string, std::string>> ways;
  for (const auto& one : report["cases"]) {
    ways.emplace(one["mode"], one["direction"]);
    EXPECT_EQ(one["size_bytes"], 64);
    EXPECT_EQ(one["name"],
              one["mode"].get<std::string>() + "/" + one["direction"].get<std::string>() + "/64");
    EXPECT_EQ(one["flows"], 16);
    EXPECT_EQ(one["routes"], 4);
    EXPECT_GE(one["offered"], 5000);
    EXPECT_EQ(one["forwarded"], one["offered"]);
    EXPECT_EQ(one["drops"], nlohmann::json::object());
    EXPECT_GT(one["ns_per_packet"], 0.0);
    EXPECT_GT(one["tsc_cycles_per_packet"], 0.0);
  }
  EXPECT_EQ(ways.size(), 9);
}

TEST(Bench, MeasuresGeneveOfACiliumShootWithImix) {
  const Answer answer = run_overlane(
      "bench topologies/library/manifests/shoot-aws-cilium.yaml --mode geneve --size imix,46" +
      kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_THAT(answer.out, StartsWith("mode     way     size"));
  EXPECT_THAT(answer.out, HasSubstr("geneve   decap   imix      16"));
  EXPECT_THAT(answer.out, HasSubstr("geneve   both      46      16"));
}

TEST(Bench, MeasuresIpv6OfADualStackShoot) {
  const Answer answer = run_overlane(
      "bench topologies/library/manifests/shoot-aws-dual-stack.yaml --mode routed --family "
      "ipv4,ipv6 "
      "-o json" +
      kShort);
  ASSERT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_EQ(answer.err, "") << "modes that were not chosen";
  const auto report = nlohmann::json::parse(answer.out);
  std::set<std::string> names;
  for (const auto& one : report["cases"])
    names.insert(one["name"]);
  for (const char* name : {"routed/encap/64", "routed-ipv6/encap/64", "routed-ipv6/decap/64"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Bench, SaysWhyAModeOfTheCniIsNotMeasured) {
  const std::string shoot = "bench topologies/library/manifests/shoot-aws-dual-stack.yaml";
  const Answer all = run_overlane(shoot + kShort);
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_THAT(all.err, HasSubstr("note: ipip is not measured: "));
  EXPECT_THAT(all.err, testing::Not(HasSubstr("error")));
  const Answer one = run_overlane(shoot + " --mode ipip" + kShort);
  EXPECT_EQ(one.exit_code, 4);
  EXPECT_THAT(one.err, HasSubstr("error: ipip: "));
}

TEST(Bench, RejectsUnsupportedArguments) {
  const auto error = [](const std::string& arguments, int exit_code) {
    const Answer answer = run_overlane("bench " + arguments);
    EXPECT_EQ(answer.exit_code, exit_code) << arguments;
    return command::unwrapped(answer.err);
  };
  const std::string shoot = "topologies/library/manifests/shoot-aws.yaml ";
  EXPECT_THAT(error(shoot + "--size 45", 2), HasSubstr("\"45\" is neither imix nor 46 to 1450"));
  EXPECT_THAT(error(shoot + "--mode gre", 2), HasSubstr("gre not in"));
  EXPECT_THAT(error(shoot + "--mode geneve" + kShort, 4),
              HasSubstr("none of the shoot's dataplanes is geneve"));
  EXPECT_THAT(error(shoot + "--no-hugepages --memory 128 --buffers 4000000", 4),
              HasSubstr("no memory for 4000000 packets"));
  EXPECT_THAT(error(shoot + "--memory 1000000", 4), HasSubstr("MiB of free hugepages are needed"));
  EXPECT_THAT(error("nobody.yaml", 3), HasSubstr("there is no such file or folder"));
}

}  // namespace bench_test
}  // namespace overlane::fastpath
