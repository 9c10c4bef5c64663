#include "topologies/cni/declarative/declarative.h"

#include <string>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::declarative {

namespace declarative_test {

std::string file_with(const std::string& spec) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: NetworkProvider\nmetadata: {name: x}\nspec:\n" +
         spec;
}

constexpr const char* kRows = "  rows: [{name: A, dataplane: {mode: routed}, because: it is so}]\n";

Result<NetworkProvider, Findings> decode_text(const std::string& text) {
  const auto stream = document::parse(text, "x.yaml");
  EXPECT_EQ(stream.documents.size(), 1u) << text;
  return decode_network_provider(stream.documents.at(0));
}

TEST(NetworkProvider, TheExampleOfTheLibraryIsRead) {
  const auto tree = document::read_one(source_file("topologies/library/gardenet.yaml"));
  ASSERT_TRUE(tree);
  const auto provider = decode_network_provider(*tree);
  ASSERT_TRUE(provider) << provider.error().at(0).to_string();
  EXPECT_EQ(provider->type, "gardenet");
  EXPECT_EQ(provider->fields.size(), 5u);
  ASSERT_EQ(provider->rows.size(), 3u);
  EXPECT_EQ(provider->rows[0].name, "G1");
  EXPECT_EQ(provider->rows[0].when.at(0).field, "overlay.enabled");
  EXPECT_EQ(provider->rows[0].when.at(0).value, "false");
  EXPECT_EQ(provider->rows[2].overhead_bytes, 50u);
}

struct Wrong {
  const char* what;
  std::string spec;
  const char* rule;
  const char* hint;  ///< A part of it.
};

const Wrong kWrong[] = {
    {"no type", std::string(kRows), "missing-key", ""},
    {"no rows", "  type: a\n", "missing-key", ""},
    {"an unknown key", "  type: a\n  nodeagent: calico-node\n" + std::string(kRows), "unknown-key",
     "nodeAgent"},
    {"an unknown agent", "  type: a\n  nodeAgent: flanneld\n" + std::string(kRows), "bad-value",
     "calico-node"},
    {"a condition on no field",
     "  type: a\n  fields: [{path: mode}]\n  rows: [{name: A, when: {moode: x}, dataplane: {mode: "
     "routed}, because: so}]\n",
     "unknown-condition", "did you mean mode?"},
    {"an overlay without encapsulation",
     "  type: a\n  rows: [{name: A, dataplane: {mode: overlay, routesBy: felix}, because: so}]\n",
     "bad-value", ""},
    {"a routed encapsulation",
     "  type: a\n  rows: [{name: A, dataplane: {mode: routed, encapsulation: ipip}, because: "
     "so}]\n",
     "bad-value", ""},
    {"a tunnel that the agent does not make",
     "  type: a\n  rows: [{name: A, dataplane: {mode: overlay, encapsulation: geneve, routesBy: "
     "felix}, because: so}]\n",
     "bad-value", "cilium-agent supports vxlan and geneve"},
    {"an MTU field that is none", "  type: a\n  mtuField: mtu\n" + std::string(kRows), "bad-value",
     ""},
    {"a default outside the values",
     "  type: a\n  fields: [{path: m, values: [x, y], default: z}]\n" + std::string(kRows),
     "bad-value", ""},
    {"a list as condition",
     "  type: a\n  fields: [{path: m}]\n  rows: [{name: A, when: {m: [1]}, dataplane: {mode: "
     "routed}, because: so}]\n",
     "wrong-type", ""},
};

TEST(NetworkProvider, IsDecodedStrictly) {
  for (const Wrong& row : kWrong) {
    SCOPED_TRACE(row.what);
    const auto provider = decode_text(file_with(row.spec));
    ASSERT_FALSE(provider);
    const Finding& finding = provider.error().at(0);
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_NE(finding.hint.find(row.hint), std::string::npos) << finding.hint;
    EXPECT_GT(finding.place.line, 0);
  }
}

}  // namespace declarative_test

}  // namespace overlane::declarative
