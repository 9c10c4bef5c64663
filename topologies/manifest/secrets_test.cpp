#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::manifest {
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
