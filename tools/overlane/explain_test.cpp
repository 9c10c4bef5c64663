#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kShoot = "topologies/library/manifests/shoot-aws.yaml";

nlohmann::json explain_json(const std::string& arguments) {
  return nlohmann::json::parse(run_overlane("explain -o json " + arguments).out);
}

TEST(Explain, PrintsTheDataplaneOfAManifestWithPlaces) {
  const Answer answer = run_overlane(std::string("explain ") + kShoot);
  EXPECT_EQ(answer.exit_code, 0);
  EXPECT_THAT(answer.out, HasSubstr("garden-dev/routed-aws"));
  EXPECT_THAT(answer.out, HasSubstr("shoot-aws.yaml:47:11"));
}

TEST(Explain, WritesTheExplanationDocument) {
  const auto json = explain_json(kShoot);
  EXPECT_EQ(json["kind"], "Explanation");
  EXPECT_EQ(json["networks"][0]["dataplane"]["mode"], "routed");
}

TEST(Explain, StageDecidesWhatAnAbsentOverlayKeyMeans) {
  const std::string create =
      explain_json(std::string(kShoot) + " --stage create")["networks"][0]["stage"];
  const std::string live =
      explain_json(std::string(kShoot) + " --stage live")["networks"][0]["stage"];
  EXPECT_EQ(create, "create");
  EXPECT_EQ(live, "live");
}

TEST(Explain, ReadsStandardInputAndFolders) {
  EXPECT_EQ(run_overlane(std::string("explain - <") + kShoot).exit_code, 0);
  EXPECT_GT(explain_json("topologies/library/manifests")["networks"].size(), 5u);
}

struct BadInput {
  const char* what;
  const char* text;
  const char* place;  ///< What follows the file's name.
};

constexpr BadInput kBadInputs[] = {
    {"a binary file", "\x7f\x45\x4c\x46\x02\x01", ""},
    {"a Helm template", "kind: Shoot\nmetadata:\n  name: {{ .Values.name }}\n", ":3:"},
    {"an elision", "kind: Shoot\n...\nspec: {}\n", ":2:"},
    {"no YAML", "kind: Shoot\nspec: [1, 2\n", ":2:"},
    {"an empty file", "", ""},
};

TEST(Explain, ASoleInputThatIsUnusableEndsWith3AndNamesTheFile) {
  for (const BadInput& bad : kBadInputs) {
    const std::string file = write_temporary("bad.yaml", bad.text);
    const Answer answer = run_overlane("explain " + file);
    EXPECT_EQ(answer.exit_code, 3) << bad.what;
    EXPECT_THAT(answer.err, HasSubstr(file + bad.place)) << bad.what;
    EXPECT_THAT(answer.err, HasSubstr("error: ")) << bad.what;
  }
  const Answer missing = run_overlane("explain nonexistent.yaml");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("nonexistent.yaml: error: "));
}

TEST(Explain, OneBadDocumentAmongGoodOnesIsAFinding) {
  const Answer answer = run_overlane(std::string("explain nonexistent.yaml ") + kShoot);
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.out, HasSubstr("garden-dev/routed-aws"));
  EXPECT_THAT(answer.err, HasSubstr("nonexistent.yaml: error: "));
}

TEST(Explain, FailOnAndQuietWeighFindings) {
  const char* old_name = "topologies/library/manifests/network-old-name.yaml ";
  const std::string explain = std::string("explain ") + old_name;
  EXPECT_EQ(run_overlane(explain).exit_code, 0);
  EXPECT_EQ(run_overlane(explain + "--fail-on warning").exit_code, 1);
  EXPECT_THAT(run_overlane(explain).err, HasSubstr(": warning: "));
  EXPECT_THAT(run_overlane(explain + "--quiet").err, IsEmpty());
}

}  // namespace
}  // namespace overlane::command
