#include <algorithm>
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace overlap_what_if_test {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr bool kRouted = false;
constexpr bool kOverlay = true;

/// A shoot in the GCP network "shared"; a running shoot has a uid.
std::string shoot(const std::string& name, const std::string& pods, bool overlay, int subnet,
                  const std::string& uid = ", uid: u") {
  return fmt::format(
      R"(---
apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{namespace: garden-dev, name: {0}{4}}}
spec:
  credentialsBindingName: main
  networking: {{type: calico, pods: {1}, services: 100.64.0.0/13, nodes: 10.250.{3}.0/24, providerConfig: {{overlay: {{enabled: {2}}}}}}}
  provider:
    type: gcp
    infrastructureConfig: {{networks: {{vpc: {{name: shared}}, workers: 10.250.{3}.0/24}}}}
    workers: [{{name: w, minimum: 3, maximum: 3}}]
)",
      name, pods, overlay, subnet, uid);
}
std::string wanted(const std::string& name, const std::string& pods, int subnet) {
  return shoot(name, pods, kRouted, subnet, "");
}

/// Two shoots in conflict, and two with an overlap hidden by an overlay network.
const std::string kLandscape =
    shoot("one", "100.96.0.0/16", kRouted, 1) + shoot("two", "100.96.0.0/16", kRouted, 2) +
    shoot("hidden", "100.97.0.0/16", kOverlay, 3) + shoot("plain", "100.97.0.0/16", kRouted, 4);

struct Asked {
  Answer table;
  json report;
};

/// The result for the landscape with these candidates and further arguments.
Asked ask(const std::string& candidates, const std::string& arguments = "",
          const std::string& landscape = kLandscape) {
  std::string all = "overlap " + write_temporary("as-it-is.yaml", landscape) + ' ' + arguments;
  if (!candidates.empty()) all += " --with " + write_temporary("candidate.yaml", candidates);
  return {run_overlane(all), json::parse(run_overlane(all + " -o json").out)};
}

struct Case {
  const char* what;
  std::string candidates;
  const char* arguments;
  int exit_code;
  std::array<int, 2> come;  ///< Errors and warnings.
  std::array<int, 2> go;
  std::array<int, 2> stay;
  int refused = 0;  ///< Updates that a running shoot rejects.
};

const Case kCases[] = {
    {"a candidate with ranges of its own",
     wanted("new", "10.0.0.0/16", 5),
     "",
     0,
     {0, 0},
     {0, 0},
     {1, 1}},
    {"one that meets both", wanted("new", "100.96.0.0/16", 5), "", 1, {2, 0}, {0, 0}, {1, 1}},
    {"one beside an overlay: errors count",
     wanted("new", "100.97.0.0/16", 5),
     "",
     1,
     {1, 1},
     {0, 0},
     {1, 1}},
    {"a running shoot that stays as it is",
     shoot("one", "100.96.0.0/16", kRouted, 1),
     "",
     0,
     {0, 0},
     {0, 0},
     {1, 1}},
    {"a running one cannot move away",
     wanted("one", "10.0.0.0/16", 1),
     "",
     1,
     {0, 0},
     {1, 0},
     {0, 1},
     1},
    {"nor from one fault into another",
     wanted("one", "100.97.0.0/16", 1),
     "",
     1,
     {1, 1},
     {1, 0},
     {0, 1},
     1},
    {"an overlay: the error becomes a warning",
     "",
     "--assume garden-dev/one=overlay",
     0,
     {0, 1},
     {1, 0},
     {0, 1}},
    {"which may be too much",
     "",
     "--assume garden-dev/one=overlay --fail-on warning",
     1,
     {0, 1},
     {1, 0},
     {0, 1}},
    {"no overlay: the warning becomes an error",
     "",
     "--assume garden-dev/hidden=routed",
     1,
     {1, 0},
     {0, 1},
     {1, 0}},
    {"a shoot that is so already",
     "",
     "--assume garden-dev/hidden=overlay",
     0,
     {0, 0},
     {0, 0},
     {1, 1}},
    {"both questions at once",
     wanted("new", "10.0.0.0/16", 5),
     "--assume garden-dev/one=overlay",
     0,
     {0, 1},
     {1, 0},
     {0, 1}},
};

std::array<int, 2> weights(const json& overlaps) {
  std::array<int, 2> counts{};
  for (const json& overlap : overlaps)
    ++counts[overlap["severity"] == "error" ? 0 : 1];
  return counts;
}

TEST(OverlapWhatIf, ReportsAndFailsOnlyOnChanges) {
  for (const Case& row : kCases) {
    const auto [table, report] = ask(row.candidates, row.arguments);
    EXPECT_EQ(table.exit_code, row.exit_code) << row.what << table.out << table.err;
    EXPECT_EQ(weights(report["overlaps"]), row.come) << row.what;
    EXPECT_EQ(report["summary"]["errors"], row.come[0] + row.refused) << row.what;
    EXPECT_EQ(report["summary"]["warnings"], row.come[1]) << row.what;
    const json& what_if = report["what_if"];
    EXPECT_EQ(weights(what_if["gone"]), row.go) << row.what;
    EXPECT_EQ(what_if["unchanged"]["errors"], row.stay[0]) << row.what;
    EXPECT_EQ(what_if["unchanged"]["warnings"], row.stay[1]) << row.what;
  }
}

/// Two shoots of three nodes, in a network with one route table and in one with a table per shoot.
TEST(OverlapWhatIf, UnchangedRouteQuotaIsNotNew) {
  const auto nodes = [](std::string text, int minimum) {
    const std::string least = "minimum: 3, maximum: 3";
    return text.replace(text.find(least), least.size(),
                        fmt::format("minimum: {0}, maximum: {0}", minimum));
  };
  const auto errors = [](const std::string& candidates, const std::string& arguments,
                         const std::string& landscape) {
    const json report =
        ask(candidates, "--set landscape.route-quota." + arguments, landscape).report;
    return std::array<int, 3>{report["summary"]["errors"],
                              static_cast<int>(report["what_if"]["gone_findings"].size()),
                              report["what_if"]["unchanged"]["errors"]};
  };
  const std::string one = wanted("one", "10.1.0.0/16", 1);
  const std::string both =
      shoot("one", "10.1.0.0/16", kRouted, 1) + shoot("two", "10.2.0.0/16", kRouted, 2);
  using Counts = std::array<int, 3>;  // New, resolved and unchanged.
  EXPECT_EQ(errors(nodes(one, 2), "gcp=5", both), (Counts{0, 0, 1}));
  EXPECT_EQ(errors(nodes(one, 3), "gcp=5", both), (Counts{0, 0, 1}));
  EXPECT_EQ(errors(nodes(one, 4), "gcp=5", both), (Counts{1, 0, 0}));
  EXPECT_EQ(errors(nodes(one, 1), "gcp=5", both), (Counts{0, 1, 0}));
  const std::regex network("name: shared}, workers: [^}]*");
  const std::string aws = std::regex_replace(std::regex_replace(both, network, "id: vpc-1}"),
                                             std::regex("type: gcp"), "type: aws");
  EXPECT_EQ(errors("", "aws=4 --assume garden-dev/one=overlay", aws), (Counts{0, 1, 1}));
}

TEST(OverlapWhatIf, StartsWithASummary) {
  const Answer applied = ask(wanted("new", "100.96.0.0/16", 5)).table;
  EXPECT_THAT(
      applied.out,
      AllOf(StartsWith("result: no new conflict now; 2 new conflicts once manifests are applied; 1 "
                       "error\n        unchanged\n"),
            HasSubstr("\nwhat if\n  garden-dev/new is applied\n"
                      "        new  2 errors\n"
                      "   resolved  nothing\n"
                      "  unchanged  1 error, 1 warning, shown without"),
            HasSubstr("\ndo not apply\n  "), HasSubstr("candidate.yaml:7:"),
            HasSubstr(" of garden-dev/new\n"), HasSubstr("garden-dev/new (candidate)"),
            HasSubstr("action  before garden-dev/new is applied, change its pods at"),
            Not(HasSubstr("garden-dev/hidden"))));
  const Answer assumed = ask("", "--assume garden-dev/one=overlay").table;
  EXPECT_THAT(assumed.out, AllOf(HasSubstr("what if\n  garden-dev/one has an overlay\n"
                                           "        new  1 warning\n"
                                           "   resolved  1 error\n"),
                                 HasSubstr("\nresolved\nerror, now: "),
                                 HasSubstr("; new: 0 errors, 1 warning")));
}

TEST(OverlapWhatIf, NamesRefusedUpdates) {
  const Answer moved = ask(wanted("one", "10.0.0.0/16", 1)).table;
  EXPECT_THAT(moved.out,
              HasSubstr("what if\n  garden-dev/one is re-created (an update is refused)\n"
                        "        new  nothing\n   resolved  1 error\n"));
  EXPECT_THAT(moved.err, HasSubstr("may not change from 100.96.0.0/16 to 10.0.0.0/16"));
}

TEST(OverlapWhatIf, AllFormatsAgree) {
  const std::string sarif = write_temporary("what-if.sarif", "");
  const std::string junit = write_temporary("what-if.xml", "");
  const std::string files = "--sarif " + sarif + " --junit " + junit;
  const std::string candidate = wanted("new", "100.97.0.0/16", 5);
  const auto [table, report] = ask(candidate, files);
  const auto results = json::parse(read_text(sarif))["runs"][0]["results"];
  ASSERT_EQ(results.size(), report["overlaps"].size());
  for (std::size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(results[i]["ruleId"], report["overlaps"][i]["rule"]);
  EXPECT_THAT(read_text(junit), HasSubstr("failures=\"1\""));
  const Answer csv =
      run_overlane("overlap " + write_temporary("as-it-is.yaml", kLandscape) + " --with " +
                   write_temporary("candidate.yaml", candidate) + " -o csv");
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 1 + 2);
  EXPECT_EQ(csv.exit_code, 1);
}

TEST(OverlapWhatIf, CandidateReplacesAnUnappliedManifest) {
  const std::string candidate = wanted("new", "100.96.0.0/16", 5);
  EXPECT_EQ(ask(candidate, "", kLandscape + candidate).report["summary"]["errors"], 2);
}

TEST(OverlapWhatIf, PlanResolvesOnlyNewOverlaps) {
  const auto shoots = [](const std::string& candidates, const std::string& arguments) {
    std::vector<std::string> names;
    const json report = ask(candidates, "--plan " + arguments).report;
    for (const json& step : report["plan"])
      names.push_back(step["shoot"]);
    return names;
  };
  EXPECT_THAT(shoots(wanted("new", "100.96.0.0/16", 5), ""), ElementsAre("garden-dev/new"));
  EXPECT_THAT(shoots(wanted("new", "10.0.0.0/16", 5), ""), ElementsAre());
  EXPECT_EQ(shoots("", "--assume garden-dev/hidden=routed").size(), 1u);
}

/// The report lists fewer pairs than overlap among 50 shoots with the same pod range.
TEST(OverlapWhatIf, ListsACandidateAmongManyOverlaps) {
  std::string many;
  for (int i = 1; i <= 50; ++i)
    many += shoot(fmt::format("s{}", i), "100.96.0.0/16", kRouted, i);
  const json report = ask(wanted("new", "100.96.0.0/16", 60), "", many).report;
  EXPECT_EQ(report["summary"]["errors"], 50);
  EXPECT_EQ(report["overlaps"].size(), 50u);
  for (const json& overlap : report["overlaps"])
    EXPECT_EQ(overlap["a"]["shoot"], "garden-dev/new");
  EXPECT_EQ(report["what_if"]["unchanged"]["errors"], 50 * 49 / 2);
  const json moved = ask(wanted("s7", "10.0.0.0/16", 7), "", many).report;
  EXPECT_EQ(moved["overlaps"].size(), 0u);
  EXPECT_EQ(moved["what_if"]["gone"].size(), 49u);
}

TEST(OverlapWhatIf, RefusesCandidatesWithoutShoots) {
  const std::string landscape = write_temporary("as-it-is.yaml", kLandscape);
  const std::string empty = write_temporary("candidate.yaml", "kind: ConfigMap\napiVersion: v1\n");
  const Answer answer = run_overlane("overlap " + landscape + " --with " + empty);
  EXPECT_EQ(answer.exit_code, 3);
  EXPECT_THAT(answer.err, HasSubstr("no shoot among the candidates (--with) can be compared"));
}

TEST(OverlapWhatIf, BrokenDocumentIsAlwaysAnError) {
  const auto [table, report] = ask(wanted("new", "10.0.0.0/16", 5), "",
                                   kLandscape + "---\nkind: Shoot\nspec: [\n" + "---\n");
  EXPECT_EQ(table.exit_code, 1) << table.out;
  EXPECT_THAT(table.out, HasSubstr("; new: 1 error, 0 warnings (1 about documents)"));
}

}  // namespace overlap_what_if_test
}  // namespace overlane::command
