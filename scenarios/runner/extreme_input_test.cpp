#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "scenarios/runner/runner.h"

namespace overlane::runner {
namespace extreme_input_test {

// Values at or beyond the limits of a file give a finding with a location and a reason, or a
// consistent result.

using ::testing::HasSubstr;

struct Extreme {
  const char* what;
  const char* traffic;
  const char* times = "  duration: 10ms\n";
  const char* vpc = "mtu: 1500";
  const char* shoot = "nodes: 3, machine: {cores: 4, nic: 10Gbit/s}";
};

/// A temporary folder with the files of a case.
class Files {
 public:
  explicit Files(const Extreme& extreme) {
    std::string name = (std::filesystem::temp_directory_path() / "overlane-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(folder_ / "t.yaml")
        << "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
        << "  vpcs: [{name: v, zones: [z], " << extreme.vpc << "}]\n  shoots: [{manifest: "
        << source_file("topologies/library/manifests/shoot-aws.yaml") << ", " << extreme.shoot
        << "}]\n";
    std::ofstream(folder_ / "s.yaml")
        << "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
        << "  topology: t.yaml\n  traffic: [{name: a, " << extreme.traffic << "}]\n"
        << extreme.times;
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  Request request() const { return {.paths = {(folder_ / "s.yaml").string()}, .threads = 1}; }

 private:
  std::filesystem::path folder_;
};

std::ostream& operator<<(std::ostream& out, const Extreme& extreme) {
  return out << extreme.what;
}

struct Refused {
  Extreme extreme;
  const char* rule;
  const char* says;
};

std::ostream& operator<<(std::ostream& out, const Refused& refused) {
  return out << refused.extreme.what;
}

class IsRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(IsRefused, WithLocationAndReason) {
  const Files files(GetParam().extreme);
  const auto prepared = prepare(files.request());
  ASSERT_FALSE(prepared);
  ASSERT_FALSE(prepared.error().findings.empty());
  const Finding& finding = prepared.error().findings.front();
  EXPECT_EQ(finding.rule, GetParam().rule) << finding.to_string();
  EXPECT_GT(finding.place.line, 0);
  EXPECT_THAT(finding.to_string(), HasSubstr(GetParam().says));
}

constexpr const char* kUdp = "kind: udp, rate: 1Mbit/s, payloadBytes: 100";

INSTANTIATE_TEST_SUITE_P(
    Table, IsRefused,
    ::testing::Values(
        Refused{{.what = "13 million flows",
                 .traffic = "kind: udp, rate: 1bit/s, payloadBytes: 1, flows: 100000, "
                            "pattern: all-to-all",
                 .shoot = "nodes: 12"},
                "too-many-flows",
                "13200000 flows; 250000 are the most"},
        Refused{{.what = "ten million pairs",
                 .traffic = "kind: tcp, pattern: all-to-all, podsPerNode: 100",
                 .shoot = "nodes: 32, podsPerNode: 100"},
                "too-many-flows",
                "9920000 flows"},
        Refused{{.what = "pods that the topology does not have",
                 .traffic = "kind: tcp, pattern: ring, podsPerNode: 5",
                 .shoot = "nodes: 2, podsPerNode: 4"},
                "too-few-pods",
                "lower podsPerNode here"},
        Refused{{.what = "pods that no node takes",
                 .traffic = "kind: tcp, pattern: ring, podsPerNode: 200"},
                "impossible-topology",
                "a node takes 110"},
        Refused{{.what = "a hot node of two",
                 .traffic = "kind: tcp, pattern: hot-spot",
                 .shoot = "nodes: 2"},
                "too-few-nodes",
                "three nodes"},
        Refused{{.what = "one node", .traffic = kUdp, .shoot = "nodes: 1"},
                "impossible-topology",
                "at least two nodes"},
        Refused{{.what = "links narrower than IPv4", .traffic = kUdp, .vpc = "mtu: 67"},
                "out-of-range",
                "between 68 and 65535"},
        Refused{{.what = "links wider than IPv4", .traffic = kUdp, .vpc = "mtu: 65536"},
                "out-of-range",
                "between 68 and 65535"},
        Refused{{.what = "years", .traffic = kUdp, .times = "  duration: 31536000s\n"},
                "invalid-quantity",
                "too large"},
        Refused{{.what = "no time", .traffic = kUdp, .times = "  duration: 0s\n"},
                "out-of-range",
                "duration is zero"}));

class Runs : public ::testing::TestWithParam<Extreme> {};

/// Throughput is at most that of the links, and run() itself checks that every packet is accounted
/// for.
TEST_P(Runs, WithAConsistentResult) {
  const Files files(GetParam());
  const auto prepared = prepare(files.request());
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  const auto report = run(*prepared, files.request());
  ASSERT_TRUE(report) << report.error().findings.at(0).to_string();
  const model::VariantResult& variant = report->variants.at(0);
  ASSERT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
  const model::TrafficResult& traffic = variant.traffic.at(0);
  EXPECT_TRUE(traffic.packets.balanced());
  EXPECT_GE(traffic.throughput_bps, traffic.goodput_bps);
  const std::int64_t nodes = static_cast<std::int64_t>(prepared->subject.topology.nodes().size());
  EXPECT_LE(traffic.throughput_bps, nodes * prepared->subject.topology.machine().nic.count);
  EXPECT_EQ(variant.byte_path.mismatched, 0);
  EXPECT_LE(variant.cpu_utilisation.max_ppm, 1'000'000);
}

constexpr const char* kWide = "nodes: 2, machine: {cores: 4, nic: 10000Gbit/s}";

INSTANTIATE_TEST_SUITE_P(
    Table, Runs,
    ::testing::Values(
        Extreme{.what = "segments of 16 bytes", .traffic = "kind: tcp", .vpc = "mtu: 68"},
        Extreme{.what = "connections with segments of 16 bytes",
                .traffic = "kind: request-response, connections: per-request, responseBytes: 999",
                .vpc = "mtu: 68"},
        Extreme{.what = "datagrams as fragments of 48 bytes", .traffic = kUdp, .vpc = "mtu: 68"},
        Extreme{.what = "segments of 65,483 bytes",
                .traffic = "kind: tcp, mtuProbing: 2",
                .vpc = "mtu: 65535"},
        Extreme{.what = "the largest datagram",
                .traffic = "kind: udp, rate: 1Gbit/s, payloadBytes: 65507",
                .vpc = "mtu: 65535"},
        Extreme{.what = "a nanosecond", .traffic = "kind: tcp", .times = "  duration: 1ns\n"},
        Extreme{.what = "a rate beyond the wire",
                .traffic = "kind: udp, rate: 10000Gbit/s, payloadBytes: 1, arrivals: poisson",
                .times = "  duration: 1ms\n"},
        Extreme{.what = "the largest rate on the fastest wire",
                .traffic = "kind: udp, rate: 10000Gbit/s, payloadBytes: 1472",
                .times = "  duration: 100us\n",
                .shoot = kWide},
        Extreme{.what = "a datagram in six days",
                .traffic = "kind: udp, rate: 1bit/s, payloadBytes: 65507, arrivals: poisson",
                .times = "  duration: 3600s\n"},
        Extreme{.what = "bursts of an hour, an hour apart",
                .traffic = "kind: udp, rate: 100bit/s, payloadBytes: 1, onTime: 3600s, "
                           "offTime: 3600s",
                .times = "  duration: 3600s\n"},
        Extreme{.what = "bursts of a nanosecond",
                .traffic = "kind: udp, rate: 10000Gbit/s, payloadBytes: 1, onTime: 1ns, "
                           "offTime: 1ns",
                .times = "  duration: 1ms\n"},
        Extreme{.what = "a terabyte",
                .traffic = "kind: tcp, transferBytes: 1000000000000, connections: per-request"},
        Extreme{.what = "single bytes, back to back",
                .traffic = "kind: tcp, transferBytes: 1, gap: 1ns, connections: per-request"},
        Extreme{.what = "the heaviest tail",
                .traffic = "kind: tcp, gap: 1ns, sizes: {distribution: pareto, mean: 1000, "
                           "shape: 1.05, cap: 1000000000000}"},
        Extreme{.what = "the largest messages",
                .traffic = "kind: request-response, requestBytes: 100000000, "
                           "responseBytes: 100000000"},
        Extreme{.what = "an hour to the neighbour",
                .traffic = "kind: tcp",
                .times = "  duration: 3600s\n",
                .vpc = "mtu: 1500, latency: {withinZone: 3600s}"},
        Extreme{.what = "no time to the neighbour",
                .traffic = "kind: request-response",
                .times = "  duration: 1ms\n",
                .vpc = "mtu: 1500, latency: {withinZone: 0s}"}));

/// Every SYN is lost: the VPC's route table has no room for the route.
TEST(ExtremeInput, MissingPathIsReportedInsteadOfFigures) {
  const Files files({.what = "no route",
                     .traffic = "kind: request-response, connections: per-request",
                     .vpc = "mtu: 1500, routeQuota: 1"});
  const auto prepared = prepare(files.request());
  ASSERT_TRUE(prepared);
  const auto report = run(*prepared, files.request());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->variants[0].status, model::VariantStatus::NotDeliverable);
  EXPECT_THAT(report->variants[0].reason, HasSubstr("fabric-no-route"));
}

}  // namespace extreme_input_test
}  // namespace overlane::runner
