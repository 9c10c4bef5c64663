#include "topologies/explain/difference.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::explain {

using derive::StageChoice;
namespace difference_test {

using manifest::testing::network_yaml;
using manifest::testing::ShootText;

Explanation explain_text(const std::string& yaml) {
  return explain(document::parse(yaml, "x.yaml"), StageChoice::Create);
}

std::vector<std::string> fields_of(const Difference& difference) {
  std::vector<std::string> names;
  for (const Difference::Field& field : difference.fields)
    names.emplace_back(field.after.field.empty() ? field.before.field : field.after.field);
  return names;
}

const std::string kIpip =
    ShootText{.provider = "equinix", .config = "{overlay: {enabled: true}}"}.yaml();
const std::string kRouted =
    ShootText{.provider = "equinix", .config = "{overlay: {enabled: false}}"}.yaml();

TEST(Difference, NamesTheFieldsThatAChangeOfTheOverlayReaches) {
  const auto differences = compare(explain_text(kIpip), explain_text(kRouted));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].network, "garden-dev/one");
  EXPECT_EQ(differences[0].kind, Difference::Kind::Changed);
  EXPECT_EQ(fields_of(differences[0]),
            (std::vector<std::string>{"dataplane.mode", "dataplane.encapsulation",
                                      "dataplane.backend", "dataplane.routes_by",
                                      "dataplane.cloud_routes", "dataplane.pod_mtu",
                                      "dataplane.overhead_bytes", "dataplane.masquerade_except"}));
  EXPECT_EQ(differences[0].fields[1].before.value, "ipip");
  EXPECT_EQ(differences[0].fields[1].after.value, "none");
}

TEST(Difference, OfTheSameIsNothing) {
  const auto differences = compare(explain_text(kIpip), explain_text(kIpip));
  EXPECT_TRUE(differences.empty());
  EXPECT_EQ(print(differences), "nothing differs\n");
}

TEST(Difference, ASecondFamilyIsAllNewFields) {
  const auto differences = compare(explain_text(kRouted),
                                   explain_text(ShootText{.provider = "equinix",
                                                          .config = "{overlay: {enabled: false}}",
                                                          .networking = "ipFamilies: [IPv4, IPv6]"}
                                                    .yaml()));
  ASSERT_EQ(differences.size(), 1u);
  const auto& last = differences[0].fields.back();
  EXPECT_TRUE(last.before.field.empty());
  EXPECT_EQ(last.after.field, "dataplane_v6.overhead_bytes");
  const auto json = encode(differences);
  EXPECT_TRUE(json["networks"][0]["fields"].back()["before"].is_null());
}

TEST(Difference, ManyNetworksAreMatchedByName) {
  const std::string network = "---\n" + network_yaml("calico", "", "shoot--dev--two");
  const auto differences = compare(explain_text(kIpip + network), explain_text(kIpip));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].network, "shoot--dev--two/net");
  EXPECT_EQ(differences[0].kind, Difference::Kind::Removed);
}

}  // namespace difference_test
}  // namespace overlane::explain
