#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"

namespace overlane::runner {
namespace ipv6_test {

using ::testing::HasSubstr;

const std::string kManifests = source_file("topologies/library/manifests/");

Outcome<Subject> load(const std::string& manifest) {
  return load_subject({.manifests = {kManifests + manifest}}, {}, {});
}

/// The assumed IPv6 ranges of the shoot's status, as text.
std::string assumed_ranges(const Subject& subject) {
  std::string text;
  for (const model::Assumption& assumption : subject.assumptions)
    if (assumption.parameter.starts_with("status."))
      text += assumption.parameter + ' ' + assumption.value + '\n';
  return text;
}

TEST(Ipv6Ranges, AreDocumentationRangesIfTheCloudChoosesThem) {
  struct Row {
    const char* manifest;
    const char* assumed;
    const char* first_pod;
  };
  for (const Row& row : {
           Row{"shoot-aws-ipv6.yaml",
               "status.networking.nodes 2001:db8::/56\n"
               "status.networking.pods 2001:db8::/56\n"
               "status.networking.services 2001:db8::10:0/108\n",
               "2001:db8::4:0:0:2"},
           Row{"shoot-gcp-dual-stack.yaml",
               "status.networking.nodes 2001:db8::/64\n"
               "status.networking.pods 2001:db8::/64\n"
               "status.networking.services 2001:db8:0:1::/108\n",
               "2001:db8::4:0:2"},
           Row{"shoot-aws-dual-stack.yaml", "", "2001:db8:12:3400:4::2"},
           Row{"shoot-aws.yaml", "", ""},
       }) {
    const auto subject = load(row.manifest);
    ASSERT_TRUE(subject) << row.manifest;
    EXPECT_EQ(assumed_ranges(*subject), row.assumed) << row.manifest;
    const IpAddress* pod = subject->topology.pods()[0].address.in(Family::Ipv6);
    EXPECT_EQ(pod == nullptr ? "" : pod->to_string(), row.first_pod) << row.manifest;
  }
}

TEST(Ipv6Traffic, IsSentIfIpv6IsTheFirstFamily) {
  struct Row {
    const char* manifest;
    bool is_ipv4;
    const char* assumed;
  };
  for (const Row& row :
       {Row{"shoot-aws-dual-stack.yaml", true, "IPv4"}, Row{"shoot-aws-ipv6.yaml", false, ""}}) {
    const auto prepared = prepare({.paths = {kManifests + row.manifest}});
    ASSERT_TRUE(prepared) << row.manifest;
    for (const run::TrafficGroup& group : prepared->traffic)
      for (const run::PodPair& pair : group.pairs)
        EXPECT_EQ(pair.source.address.is_ipv4(), row.is_ipv4) << row.manifest;
    const auto& assumptions = prepared->subject.assumptions;
    const auto family =
        std::ranges::find(assumptions, "traffic.ip_family", &model::Assumption::parameter);
    EXPECT_EQ(family == assumptions.end() ? "" : family->value, row.assumed) << row.manifest;
  }
}

TEST(Ipv6Traffic, IncludesTheIpv6Header) {
  Request asked{.paths = {kManifests + "shoot-aws-ipv6.yaml"}};
  auto prepared = prepare(asked);
  ASSERT_TRUE(prepared);
  prepared->scenario.duration = milliseconds(20);
  prepared->scenario.warm_up = milliseconds(2);
  const auto report = run(*prepared, asked);
  ASSERT_TRUE(report);
  std::size_t measured = 0;
  for (const model::VariantResult& variant : report->variants) {
    if (variant.status != model::VariantStatus::Ok) {
      EXPECT_EQ(variant.status, model::VariantStatus::NotAdmitted) << variant.reason;
      continue;
    }
    ++measured;
    EXPECT_GT(variant.byte_path.checked, 0);
    EXPECT_EQ(variant.byte_path.mismatched, 0);
    for (const model::TrafficResult& traffic : variant.traffic)
      EXPECT_GT(traffic.throughput_bps, 0) << traffic.name;
  }
  EXPECT_EQ(measured, 1u) << "routed alone is admitted";
}

/// A dual-stack shoot whose first family is IPv4.
TEST(Ipv6Traffic, IsSentIfAVariantRequestsIt) {
  testing::Folder folder;
  const std::string text =
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: both}\nspec:\n"
      "  manifests: [" +
      kManifests +
      "shoot-aws-dual-stack.yaml]\n"
      "  variants:\n"
      "  - {name: four}\n"
      "  - {name: six, family: ipv6}\n"
      "  - {name: sealed, family: ipv6, encryption: wireguard}\n"
      "  traffic:\n  - {name: bulk, kind: tcp}\n  duration: 20ms\n  warmup: 10ms\n";
  const model::RunReport report =
      testing::run_or_fail({.paths = {folder.write("s.yaml", text)}, .threads = 1});
  ASSERT_EQ(report.variants.size(), 3u);
  std::vector<std::int64_t> goodput;
  for (const model::VariantResult& variant : report.variants) {
    ASSERT_EQ(variant.status, model::VariantStatus::Ok) << variant.reason;
    EXPECT_EQ(variant.byte_path.mismatched, 0);
    EXPECT_GT(variant.byte_path.checked, 0);
    goodput.push_back(variant.traffic[0].goodput_bps);
  }
  EXPECT_LT(goodput[1], goodput[0]) << "20 bytes more of each packet are headers";
  EXPECT_LT(goodput[2], goodput[1]);
  EXPECT_EQ(report.variants[2].dataplane->overhead_bytes, 80u);
}

TEST(Ipv6Traffic, IsRefusedIfPodsHaveNoIpv6) {
  testing::Folder folder;
  const std::string text =
      "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: none}\nspec:\n"
      "  manifests: [" +
      kManifests +
      "shoot-aws.yaml]\n"
      "  family: ipv6\n"
      "  traffic:\n  - {name: bulk, kind: tcp}\n  duration: 20ms\n";
  const model::RunReport report = testing::run_or_fail({.paths = {folder.write("s.yaml", text)}});
  EXPECT_EQ(report.variants.at(0).status, model::VariantStatus::Unsupported);
  EXPECT_THAT(report.variants[0].reason, HasSubstr("no addresses of IPv6"));
}

}  // namespace ipv6_test
}  // namespace overlane::runner
