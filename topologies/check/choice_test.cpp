#include "topologies/check/choice.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "topologies/check/check.h"

namespace overlane::check {

namespace choice_test {

struct Wanted {
  const char* what;
  Selection selection;
  Finding finding;
  bool wanted;
};

const Wanted kWanted[] = {
    {"everything", {}, {.rule = "mtu-too-large"}, true},
    {"one of those named",
     {{"invalid-cidr", "mtu-too-large"}, {}},
     {.rule = "mtu-too-large"},
     true},
    {"another than the one named", {{"invalid-cidr"}, {}}, {.rule = "mtu-too-large"}, false},
    {"a value that could not be read", {{"mtu-too-large"}, {}}, {.rule = "invalid-cidr"}, true},
    {"a key that nobody knows, beside which all is read",
     {{"mtu-too-large"}, {}},
     {.rule = "unknown-key"},
     false},
    {"one that is ignored", {{}, {"mtu-too-large"}}, {.rule = "mtu-too-large"}, false},
    {"one that is named and ignored",
     {{"mtu-too-large"}, {"mtu-too-large"}},
     {.rule = "mtu-too-large"},
     false},
    {"an input that could not be used", {{"invalid-cidr"}, {}}, {.rule = "unreadable-file"}, true},
    {"an input that does not matter",
     {{"invalid-cidr"}, {}},
     {.rule = "unsupported-kind", .severity = Severity::Note},
     false},
    {"an unusable input that is ignored", {{}, {"template"}}, {.rule = "template"}, false},
};

TEST(Choice, WantsFindingsByTheirRule) {
  for (const Wanted& row : kWanted)
    EXPECT_EQ(Choice({}, row.selection).wants(row.finding), row.wanted) << row.what;
}

/// A shoot whose MTU is too large for its tunnel: a lint, and more that is wrong with it.
std::string shoot_with(const std::string& networking, const std::string& config = "",
                       const std::string& annotation = "") {
  return "apiVersion: core.gardener.cloud/v1beta1\n"
         "kind: Shoot\n"
         "metadata:\n"
         "  {name: one, namespace: garden-dev, annotations: {overlane.dev/ignore: '" +
         annotation +
         "'}}\n"
         "spec:\n"
         "  provider: {type: aws, workers: [{name: w, minimum: 1, maximum: 2}]}\n"
         "  networking:\n"
         "    {type: calico, nodes: 10.250.0.0/16, " +
         networking +
         "\n"
         "     providerConfig: {overlay: {enabled: true}, vethMTU: '9001'" +
         config + "}}\n";
}

CheckReport check_text(const std::string& yaml, const Selection& selection = {}) {
  return check(document::parse(yaml, "x.yaml"), {.derive = {}, .selection = selection});
}

bool has(const CheckReport& report, std::string_view rule) {
  return std::ranges::find(report.findings, rule, &Finding::rule) != report.findings.end();
}

TEST(Choice, AnErrorThatNobodyWantsDoesNotEndTheJudging) {
  const std::string refused = "pods: 240.0.0.0/16,";
  EXPECT_FALSE(has(check_text(shoot_with(refused)), "mtu-too-large"));
  for (const CheckReport& report :
       {check_text(shoot_with(refused), {{"mtu-too-large"}, {}}),
        check_text(shoot_with(refused), {{}, {"reserved-range"}}),
        check_text(shoot_with("", ", ovrlay: {}"), {{"mtu-too-large"}, {}}),
        check_text(shoot_with("", ", ovrlay: {}"), {{}, {"unknown-key"}})}) {
    EXPECT_TRUE(has(report, "mtu-too-large"));
    EXPECT_EQ(report.count(Severity::Error), 0u);
    EXPECT_EQ(report.judged_in_part, 0u);
  }
}

TEST(Choice, AShootWithAHiddenValueThatCannotBeReadIsJudgedInPart) {
  const std::string lost = "pods: 10.0.0.5/16,";
  EXPECT_TRUE(has(check_text(shoot_with(lost), {{"mtu-too-large"}, {}}), "invalid-cidr"));
  for (const CheckReport& report :
       {check_text(shoot_with(lost), {{}, {"invalid-cidr"}}),
        check_text(shoot_with("", ", backend: 3"), {{}, {"wrong-type"}})}) {
    EXPECT_EQ(report.count(Severity::Error), 0u);
    EXPECT_FALSE(has(report, "mtu-too-large"));
    EXPECT_EQ(report.judged_in_part, 1u);
    EXPECT_NE(summary(report).find("1 object judged only in part"), std::string::npos);
  }
}

TEST(Choice, DocumentsThatAreIgnoredAreCounted) {
  const CheckReport report = check_text(shoot_with("") + "---\nkind: {{ .Values.kind }}\n",
                                        {{}, {"template", "mtu-too-large"}});
  EXPECT_EQ(report.left_out, 1u);
  EXPECT_TRUE(summary(report).ends_with(", 1 document left out")) << summary(report);
}

}  // namespace choice_test

}  // namespace overlane::check
