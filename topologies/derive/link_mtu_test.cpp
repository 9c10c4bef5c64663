#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::derive {
namespace link_mtu_test {

using manifest::testing::ShootText;

manifest::PodNetworkSpec spec_of(const std::string& yaml) {
  return manifest::decode(document::parse(yaml, "x.yaml")).clusters.at(0);
}

TEST(LinkMtu, ComesFromTheInfrastructureConfig) {
  const auto mtu = [](const char* provider, const char* infrastructure) {
    const ShootText shoot{.provider = provider, .infrastructure = infrastructure};
    return derive(spec_of(shoot.yaml()), DeriveOptions())->dataplane.link_mtu;
  };
  EXPECT_EQ(mtu("gcp", "{networks: {mtu: 8896}}"), 8896u);
  EXPECT_EQ(mtu("aws", "{enableMTUCustomizer: true}"), 1460u);
  EXPECT_EQ(mtu("aws", "{enableMTUCustomizer: false}"), 9001u);
}

TEST(LinkMtu, DefaultsToTheLandscapeSetting) {
  DeriveOptions options;
  options.landscape.link_mtu = 8950;
  const auto link_mtu = [&](const ShootText& shoot) {
    const auto network = derive(spec_of(shoot.yaml()), options);
    const auto reason =
        std::ranges::find(network->reasons, "dataplane.link_mtu", &effective::Reason::field);
    EXPECT_FALSE(reason->assumed) << reason->because.to_string();
    return network->dataplane.link_mtu;
  };
  EXPECT_EQ(link_mtu({.provider = "openstack"}), 8950u);
  EXPECT_EQ(link_mtu({.provider = "gcp", .infrastructure = "{networks: {mtu: 8896}}"}), 8896u);
}

TEST(LinkMtu, IsMarkedAsAssumedInFindings) {
  const manifest::PodNetworkSpec spec = spec_of(
      ShootText{.provider = "equinix", .config = "{overlay: {enabled: true}, vethMTU: \"8950\"}"}
          .yaml());
  const auto too_large = [&](const DeriveOptions& options) {
    const Findings findings = examine(spec, options).findings;
    const auto found = std::ranges::find(findings, "mtu-too-large", &Finding::rule);
    return found == findings.end() ? Finding() : *found;
  };
  const Finding assumed = too_large({});
  EXPECT_NE(assumed.message.find("the link MTU 1500 (assumed)"), std::string::npos)
      << assumed.message;
  EXPECT_NE(assumed.hint.find("landscape.link-mtu"), std::string::npos) << assumed.hint;
  DeriveOptions options;
  options.landscape.link_mtu = 8950;
  EXPECT_NE(too_large(options).message.find("the link MTU 8950 by 20"), std::string::npos);
  options.landscape.link_mtu = 8970;
  EXPECT_EQ(too_large(options).rule, "");
}

}  // namespace link_mtu_test
}  // namespace overlane::derive
