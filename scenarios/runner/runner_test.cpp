#include "scenarios/runner/runner.h"

#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/base/testing/source_file.h"
#include "results/model/run_report_json.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {

namespace runner_test {

using model::VariantStatus;
using testing::Folder;
using ::testing::HasSubstr;
using testing::run_or_fail;

const std::string kSource = source_file("");
const std::string kManifests = kSource + "/topologies/library/manifests/";
const std::string kGoodput = kSource + "/scenarios/library/goodput-mtu1500.yaml";

Request request(std::vector<std::string> paths) {
  return {.paths = std::move(paths)};
}

Failure refusal(const Request& asked) {
  auto prepared = prepare(asked);
  EXPECT_FALSE(prepared);
  return prepared ? Failure{} : std::move(prepared.error());
}

/// A short scenario with the given manifest or topology line.
std::string short_scenario(const std::string& subject, const std::string& more = "") {
  return "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: short}\nspec:\n  " +
         subject +
         "\n  traffic: [{name: a, kind: udp, rate: 10Mbit/s, payloadBytes: 500}]\n"
         "  duration: 5ms\n" +
         more;
}

std::string topology(const std::string& more_vpc, const std::string& more_shoot) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec:\n"
         "  vpcs: [{name: v, zones: [z]" +
         more_vpc + "}]\n  shoots: [{manifest: " + kManifests + "shoot-aws.yaml" + more_shoot +
         "}]\n";
}

TEST(Goodput, IsTheLinkRateMinusHeaders) {
  const model::RunReport report = run_or_fail(request({kGoodput}));
  ASSERT_EQ(report.variants.size(), 3u);
  // One MSS (MTU − 52) per 1500 + 38 bytes of a 10 Gbit/s link.
  constexpr std::array<double, 3> kMss = {1448, 1428, 1398};
  for (std::size_t i = 0; i < kMss.size(); ++i) {
    const model::VariantResult& variant = report.variants[i];
    ASSERT_EQ(variant.status, VariantStatus::Ok) << variant.reason;
    const double expected = 1e10 * kMss[i] / 1538;
    EXPECT_NEAR(static_cast<double>(variant.traffic.at(0).goodput_bps), expected, expected * 0.005)
        << variant.name;
    EXPECT_EQ(variant.traffic[0].packets.dropped, 0);
    EXPECT_TRUE(variant.traffic[0].packets.balanced());
    EXPECT_GT(variant.byte_path.checked, 0);
    EXPECT_THAT(variant.limits.at(0).station, HasSubstr("link"));
  }
}

TEST(Goodput, OfCiliumIsTheLinkRateMinusHeadersToo) {
  const model::RunReport report =
      run_or_fail(request({kSource + "/scenarios/library/cilium-goodput-mtu1500.yaml"}));
  ASSERT_EQ(report.variants.size(), 3u);
  constexpr std::array<double, 3> kMss = {1448, 1398, 1398};
  for (std::size_t i = 0; i < kMss.size(); ++i) {
    const model::VariantResult& variant = report.variants[i];
    ASSERT_EQ(variant.status, VariantStatus::Ok) << variant.reason;
    const double expected = 1e10 * kMss[i] / 1538;
    EXPECT_NEAR(static_cast<double>(variant.traffic.at(0).goodput_bps), expected, expected * 0.005)
        << variant.name;
    EXPECT_GT(variant.byte_path.checked, 0);
    EXPECT_EQ(variant.byte_path.mismatched, 0);
  }
}

TEST(Run, CiliumShootGetsTheComparisonForCilium) {
  const auto prepared = prepare(request({kManifests + "shoot-aws-cilium.yaml"}));
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  EXPECT_EQ(prepared->scenario.name, "default-cilium");
  EXPECT_EQ(prepared->scenario.variants.size(), 3u);
  EXPECT_EQ(prepared->costs->name, "linux-server");
}

TEST(Run, VariantCanHaveAnotherCalicoVersion) {
  const Folder folder;
  const std::string scenario =
      folder.write("s.yaml", short_scenario("manifests: [" + kManifests + "shoot-aws-ipip.yaml]",
                                            "  variants:\n  - {name: bird}\n"
                                            "  - {name: felix, calicoVersion: \"3.33\"}\n"));
  const model::RunReport report = run_or_fail(request({scenario}));
  EXPECT_EQ(report.variants.at(0).dataplane->routes_by, "bgp");
  EXPECT_EQ(report.variants.at(1).dataplane->routes_by, "felix");
  EXPECT_EQ(report.variants.at(1).status, VariantStatus::Ok);
}

TEST(Run, ResultDependsOnTheSeedButNotOnTheThreadCount) {
  Request asked = request({kSource + "/scenarios/library/overlay-vs-routed.yaml"});
  asked.threads = 1;
  const std::string once = model::result_hash(run_or_fail(asked));
  asked.threads = 2;
  EXPECT_EQ(model::result_hash(run_or_fail(asked)), once);
  asked.seed = 2;
  EXPECT_NE(model::result_hash(run_or_fail(asked)), once);
}

TEST(Run, ManifestsWithoutAScenarioGetTheLibrarysComparison) {
  const Request asked = request({kManifests + "shoot-aws.yaml"});
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->scenario.name, "default-calico");
  EXPECT_EQ(prepared->subject.topology.nodes().size(), 3u) << "the pools' minimum";
  EXPECT_EQ(prepared->subject.topology.subnets().size(), 2u);
  ASSERT_TRUE(prepared->costs);
  EXPECT_EQ(prepared->costs->name, "linux-server");
}

TEST(Run, PrintedScenarioIsTheOneThatRuns) {
  const Folder folder;
  const auto first = prepare(request({kManifests + "shoot-gcp.yaml"}));  // An absolute path.
  ASSERT_TRUE(first);
  const auto printed = prepare(request({folder.write("mine.yaml", first->text)}));
  ASSERT_TRUE(printed) << printed.error().findings.at(0).to_string();
  EXPECT_EQ(printed->subject.as_written.name,
            prepare(request({kManifests + "shoot-gcp.yaml"}))->subject.as_written.name);
  EXPECT_EQ(printed->scenario.variants.size(), 3u);
}

TEST(Run, SingleNodeIsRaisedToTwoAndReported) {
  const Folder folder;
  const std::string shoot = folder.write("one.yaml", R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: one, namespace: garden-dev}
spec:
  provider: {type: gcp, workers: [{name: w, minimum: 1, maximum: 1, zones: [z]}]}
  networking: {type: calico, pods: 10.0.0.0/16, services: 10.1.0.0/16, nodes: 10.2.0.0/16}
)");
  const auto prepared = prepare(request({shoot}));
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  EXPECT_EQ(prepared->subject.topology.nodes().size(), 2u);
  const auto& assumptions = prepared->subject.assumptions;
  EXPECT_TRUE(
      std::ranges::any_of(assumptions, [](const auto& a) { return a.parameter == "nodes"; }));
}

TEST(Run, VariantRejectedByAdmissionHasAReasonInsteadOfFigures) {
  const Folder folder;
  const std::string scenario = folder.write(
      "s.yaml", short_scenario("manifests: [" + kManifests + "shoot-azure.yaml]",
                               "  variants:\n  - {name: routed}\n"
                               "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n"));
  const model::RunReport report = run_or_fail(request({scenario}));
  EXPECT_EQ(report.variants[0].status, VariantStatus::Ok);
  EXPECT_EQ(report.variants[1].status, VariantStatus::NotAdmitted);
  EXPECT_THAT(report.variants[1].reason, HasSubstr("azure"));
  EXPECT_TRUE(report.variants[1].traffic.empty());
  EXPECT_TRUE(report.comparison.empty());
}

TEST(Run, PatchWithUnknownFieldIsRefusedAtItsLocation) {
  const Folder folder;
  const std::string scenario = folder.write(
      "s.yaml", short_scenario("manifests: [" + kManifests + "shoot-aws.yaml]",
                               "  variants: [{name: x, networkConfig: {overlai: {}}}]\n"));
  const Failure failure = refusal(request({scenario}));
  EXPECT_EQ(failure.kind, Failure::Kind::Input);
  EXPECT_EQ(failure.findings.at(0).place.file, scenario);
  EXPECT_EQ(failure.findings.at(0).place.line, 8);
  EXPECT_THAT(failure.findings.at(0).message, HasSubstr("overlai"));
}

TEST(Run, KubeProxyModeAffectsOnlyNewConnections) {
  const model::RunReport report =
      run_or_fail(request({kSource + "/scenarios/library/services.yaml"}));
  const auto latency = [&](std::size_t variant, std::size_t traffic) {
    const model::TrafficResult& result = report.variants[variant].traffic.at(traffic);
    return static_cast<double>(result.latency_ns.min());
  };
  EXPECT_EQ(report.variants[0].dataplane->service_routing, "kube-proxy-iptables");
  EXPECT_EQ(report.variants[1].dataplane->service_routing, "kube-proxy-ipvs");
  EXPECT_EQ(report.variants[2].dataplane->service_routing, "kube-proxy-nftables");
  // iptables walks 5,001 rules of 6 ns; IPVS takes 1 µs, nftables half of that.
  EXPECT_NEAR(latency(0, 0) - latency(1, 0), 29'006, 500);
  EXPECT_NEAR(latency(1, 0) - latency(2, 0), 500, 500);
  EXPECT_NEAR(latency(0, 1), latency(1, 1), 500);
}

TEST(Run, WireGuardCostsHeadersTimeAndTheSingleFlowLimit) {
  const model::RunReport report =
      run_or_fail(request({kSource + "/scenarios/library/encryption.yaml"}));
  ASSERT_EQ(report.variants.size(), 4u);
  for (const model::VariantResult& variant : report.variants) {
    ASSERT_EQ(variant.status, VariantStatus::Ok) << variant.reason;
    EXPECT_GT(variant.byte_path.checked, 100);
    EXPECT_EQ(variant.byte_path.mismatched, 0);
  }
  const auto goodput = [&](std::size_t variant, std::size_t traffic) {
    return report.variants[variant].traffic.at(traffic).goodput_bps;
  };
  EXPECT_EQ(report.variants[1].dataplane->encryption, "wireguard");
  EXPECT_EQ(report.variants[1].dataplane->overhead_bytes, 60u);
  EXPECT_GT(goodput(0, 1), 9'000'000'000) << "eight flows, each with a cap of its own";
  EXPECT_LT(goodput(1, 1), 5'000'000'000) << "one flow to the VPC";
  const auto latency = [&](std::size_t variant, std::size_t traffic) {
    return report.variants[variant].traffic.at(traffic).latency_ns.min();
  };
  EXPECT_GT(latency(1, 2), latency(2, 2)) << "small datagrams cost more than through VXLAN";
  EXPECT_EQ(goodput(1, 0), goodput(3, 0)) << "it takes VXLAN's place";
}

TEST(Run, MtuBelowTheMinimumOfIpv4GivesNoFigures) {
  const Folder folder;
  folder.write("t.yaml", topology(", mtu: 100", ", nodes: 2"));
  const std::string scenario = folder.write(
      "s.yaml",
      short_scenario("topology: t.yaml",
                     "  variants: [{name: x, networkConfig: {overlay: {enabled: true}, vxlan: "
                     "{enabled: true}}}]\n"));
  const model::RunReport report = run_or_fail(request({scenario}));
  EXPECT_EQ(report.variants[0].status, VariantStatus::NotDeliverable);
  EXPECT_THAT(report.variants[0].reason, HasSubstr("would be 50 bytes"));
}

/// With one flow, a tunnel only adds work, so it cannot be faster, independently of the cores that
/// the hashes select.
TEST(Run, TunnelIsNotFasterThanNoneOnTheSameMachine) {
  const Folder folder;
  folder.write("t.yaml", topology(", mtu: 1500, singleFlowCap: none",
                                  ", nodes: 2, machine: {nic: 100Gbit/s, cores: 4}"));
  std::string text = short_scenario(
      "topology: t.yaml",
      "  costProfile: linux-server\n  variants:\n  - {name: routed}\n"
      "  - {name: ipip, networkConfig: {overlay: {enabled: true}}}\n"
      "  - {name: vxlan, networkConfig: {overlay: {enabled: true}, vxlan: {enabled: true}}}\n");
  text.replace(text.find("kind: udp, rate: 10Mbit/s, payloadBytes: 500"), 44, "kind: tcp");
  const std::string scenario = folder.write("s.yaml", text);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Request asked = request({scenario});
    asked.seed = seed;
    const model::RunReport report = run_or_fail(asked);
    const auto goodput = [&](std::size_t i) {
      return report.variants[i].traffic.at(0).goodput_bps;
    };
    EXPECT_GE(goodput(0), goodput(1)) << "seed " << seed;
    EXPECT_GE(goodput(1), goodput(2)) << "seed " << seed;
  }
}

TEST(Run, TooSmallQuotaMakesAVariantPartial) {
  const Folder folder;
  folder.write("t.yaml", topology(", routeQuota: 4", ", nodes: 3"));
  std::string text = short_scenario("topology: t.yaml");
  text.replace(text.find("kind: udp"), 9, "kind: udp, pattern: ring");
  const model::RunReport report = run_or_fail(request({folder.write("s.yaml", text)}));
  EXPECT_EQ(report.variants[0].status, VariantStatus::Partial);
  EXPECT_THAT(report.variants[0].reason, HasSubstr("1 of 3 pod-to-pod paths"));
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.back().rule, "route-quota");
}

TEST(Run, VariantWithoutAnyPathIsNotDeliverable) {
  const Folder folder;
  folder.write("t.yaml", topology(", routeQuota: 2", ", nodes: 2"));
  const std::string scenario = folder.write("s.yaml", short_scenario("topology: t.yaml"));
  const model::RunReport report = run_or_fail(request({scenario}));
  EXPECT_EQ(report.variants[0].status, VariantStatus::NotDeliverable);
  EXPECT_THAT(report.variants[0].reason, HasSubstr("node-1 to node-2"));
  EXPECT_TRUE(report.variants[0].traffic.empty());
}

TEST(Run, TopologysMtuAppliesToEveryVariant) {
  const auto prepared = prepare(request({kGoodput}));
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->subject.as_written.dataplane.link_mtu, 1500u);
  EXPECT_EQ(prepared->subject.topology.vpc().mtu, 1500u);
}

TEST(Run, LandscapeSettingsReplaceTheProvidersFacts) {
  const std::string shoot = kManifests + "shoot-aws.yaml";
  const auto usual = prepare(request({shoot}));
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->subject.paths.within_zone, microseconds(20));
  EXPECT_EQ(usual->subject.limits.single_flow, BitsPerSecond{5'000'000'000});

  Request asked = request({shoot});
  for (const char* setting : {"landscape.latency-within-zone=50",
                              "landscape.latency-across-zones=900", "landscape.single-flow-cap=0"})
    asked.subject.derive.landscape =
        effective::with_setting(asked.subject.derive.landscape, setting).value();
  const auto set = prepare(asked);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->subject.paths.within_zone, microseconds(50));
  EXPECT_EQ(set->subject.paths.across_zones, microseconds(900));
  EXPECT_EQ(set->subject.limits.single_flow, std::nullopt);
  const auto is_assumed = [&](const char* parameter) {
    return std::ranges::count(set->subject.assumptions, parameter, &model::Assumption::parameter);
  };
  EXPECT_EQ(is_assumed("latency.within_zone") + is_assumed("fabric.single_flow"), 0);
  EXPECT_FALSE(effective::with_setting({}, "landscape.latency-within-zone=-1"));
}

TEST(Run, TheJitterOfATopologyIsNoAssumption) {
  const Folder folder;
  const auto subject_with = [&](const std::string& latency) {
    folder.write("topology.yaml", topology(", latency: {" + latency + "}", ""));
    auto prepared =
        prepare(request({folder.write("mine.yaml", short_scenario("topology: topology.yaml"))}));
    if (!prepared) throw std::runtime_error("not prepared");
    return std::move(prepared->subject);
  };
  const auto is_assumed = [](const Subject& subject) {
    return std::ranges::count(subject.assumptions, "latency.jitter", &model::Assumption::parameter);
  };
  const Subject usual = subject_with("withinZone: 20us");
  EXPECT_EQ(usual.paths.jitter, microseconds(1));
  EXPECT_EQ(is_assumed(usual), 1);
  const Subject given = subject_with("jitter: 7us");
  EXPECT_EQ(given.paths.jitter, microseconds(7));
  EXPECT_EQ(is_assumed(given), 0);
}

TEST(Run, ACopiedScenarioSaysWhichFileToCopyToo) {
  const Folder folder;
  const std::string scenario =
      folder.write("mine.yaml", short_scenario("manifests: [shoots/gcp.yaml]"));
  const Failure failure = refusal(request({scenario}));
  ASSERT_FALSE(failure.findings.empty());
  EXPECT_EQ(failure.findings.at(0).rule, "unreadable-file");
  EXPECT_THAT(failure.findings.at(0).hint,
              HasSubstr(scenario + " names it relative to its own folder: copy gcp.yaml there"));
}

struct Refusal {
  const char* what;
  std::vector<std::string> paths;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  Failure::Kind kind;
  const char* rule;
};

TEST(Run, UnusableInputIsRefusedByRule) {
  const Refusal refusals[] = {
      {"a missing file", {"/no/such/file.yaml"}, "", {}, Failure::Kind::Input, "unreadable-file"},
      {"several shoots", {kManifests}, "", {}, Failure::Kind::Usage, "choose-shoot"},
      {"a shoot that is not there",
       {kManifests + "shoot-aws.yaml"},
       "garden-dev/nobody",
       {},
       Failure::Kind::Usage,
       "choose-shoot"},
      {"more nodes than pod CIDRs",
       {kManifests + "shoot-aws.yaml"},
       "",
       8193,
       Failure::Kind::Input,
       "impossible-topology"},
      {"one node",
       {kManifests + "shoot-aws.yaml"},
       "",
       1,
       Failure::Kind::Input,
       "impossible-topology"},
      {"a topology alone",
       {kSource + "/topologies/library/aws-two-zones.yaml"},
       "",
       {},
       Failure::Kind::Input,
       "unsupported-kind"},
  };
  for (const Refusal& wanted : refusals) {
    Request asked = request(wanted.paths);
    asked.subject.shoot = wanted.shoot;
    asked.subject.nodes = wanted.nodes;
    const Failure failure = refusal(asked);
    EXPECT_EQ(failure.kind, wanted.kind) << wanted.what;
    ASSERT_FALSE(failure.findings.empty()) << wanted.what;
    EXPECT_EQ(failure.findings.back().rule, wanted.rule)
        << wanted.what << ": " << failure.findings.back().to_string();
  }
}

TEST(Run, ShootCanBeSelectedByName) {
  Request asked = request({kManifests});
  asked.subject.shoot = "garden-dev/routed-aws";
  const auto prepared = prepare(asked);
  ASSERT_TRUE(prepared) << prepared.error().findings.at(0).to_string();
  EXPECT_EQ(prepared->subject.as_written.name, "routed-aws");
}

}  // namespace runner_test

namespace document_test {

TEST(Document, ARunIsTheSameAfterItWasWrittenAndRead) {
  const std::string library = source_file("scenarios/library/");
  const Request requests[] = {
      {.paths = {testing::manifest("shoot-azure.yaml")}},
      {.paths = {library + "cloud-route-vanishes.yaml"}, .show_steps = true},
      {.paths = {library + "services.yaml"},
       .repetitions = 2,
       .series = SeriesRequest{.each_node = true},
       .why = Why::Latency}};
  for (const Request& request : requests) {
    const model::RunReport report = testing::run_or_fail(request);
    const nlohmann::ordered_json document = model::encode(report);
    const auto read = model::decode_run_report(nlohmann::ordered_json::parse(document.dump()));
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(model::encode(*read).dump(1), document.dump(1));
  }
}

}  // namespace document_test

namespace piped_input_test {

/// A pipe that contains a text, like the shell's <(…).
class Pipe {
 public:
  explicit Pipe(const std::string& text) {
    EXPECT_EQ(::pipe(ends_), 0);
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(ends_[1]);
  }
  ~Pipe() { ::close(ends_[0]); }
  std::string path() const { return "/dev/fd/" + std::to_string(ends_[0]); }

 private:
  int ends_[2] = {};
};

TEST(PipedInput, ScenarioAndManifestAreReadFromPipesOnce) {
  const std::string manifest = testing::manifest("shoot-aws.yaml");
  const std::string scenario =
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: piped}\nspec:\n"
      "  manifests: [" +
      manifest + "]\n  traffic: [{name: a, kind: tcp}]\n";
  const Pipe first(scenario);
  const auto piped = prepare({.paths = {first.path()}});
  ASSERT_TRUE(piped);
  EXPECT_EQ(piped->scenario.name, "piped");
  EXPECT_EQ(piped->text, scenario) << "for --print-scenario";

  std::ifstream file(manifest);
  const Pipe second(std::string(std::istreambuf_iterator<char>(file), {}));
  const auto compared = prepare({.paths = {second.path()}});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->scenario.name, "default-calico");
}

}  // namespace piped_input_test

}  // namespace overlane::runner
