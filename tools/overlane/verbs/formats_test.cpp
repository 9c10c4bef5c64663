// Checks that all formats of a result have the same content: warnings, rows, notes and assumed
// values. migration_document_test.cpp and tests next to the documents of runs compare the formats
// of migrations and runs.

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "results/answer/testing/renderings.h"
#include "tools/overlane/testing/run_overlane.h"

namespace overlane::command {
namespace formats_test {

using answer::testing::missing_texts;
using answer::testing::strings_of_json;
using answer::testing::words_of;
using nlohmann::json;
using testing::IsEmpty;

constexpr const char* kLandscape = "topologies/library/landscape";

/// Words of an XML file.
std::string xml_words(std::string text) {
  for (const auto& [entity, character] :
       {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}})
    for (std::size_t at = text.find(entity); at != text.npos; at = text.find(entity, at + 1))
      text.replace(at, std::string_view(entity).size(), character);
  return words_of(text);
}

/// Words of a CSV file, in whose fields quotes are doubled.
std::string csv_words(std::string text) {
  for (std::size_t at = text.find("\"\""); at != text.npos; at = text.find("\"\"", at + 1))
    text.erase(at, 1);
  std::ranges::replace(text, '\r', ' ');
  return words_of(text);
}

/// A verb's output in each format; empty for formats that the verb does not have.
struct Answers {
  json document;
  std::string text;
  std::string error;  ///< Standard error.
  std::string sarif;
  std::string junit;
  std::string markdown;
  std::string page;
};

/// Runs a verb in all of its formats, including SARIF and JUnit if it has them.
Answers answers(const std::string& verb, const std::string& arguments) {
  const std::string sarif = write_temporary(verb + ".sarif", "");
  const std::string junit = write_temporary(verb + ".xml", "");
  const Answer answer =
      run_overlane(fmt::format("{} {} --sarif {} --junit {}", verb, arguments, sarif, junit));
  return {.document = json::parse(run_overlane(verb + " -o json " + arguments).out),
          .text = words_of(answer.out),
          .error = words_of(answer.err),
          .sarif = words_of(strings_of_json(read_text(sarif))),
          .junit = xml_words(read_text(junit)),
          .markdown = {},
          .page = {}};
}

std::vector<std::string> finding_texts(const json& findings) {
  std::vector<std::string> texts;
  for (const json& finding : findings)
    for (const char* field : {"severity", "rule", "message", "hint"})
      texts.push_back(finding.value(field, ""));
  return texts;
}

/// A Shoot on AWS in public address space, with more nodes than pod CIDRs; `metadata` is added to
/// its own.
std::string doubtful_shoot(const std::string& metadata = "") {
  return "apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
         "metadata: {name: one, namespace: garden-dev" +
         metadata +
         "}\nspec:\n  provider:\n    type: aws\n    workers: [{name: w, minimum: 2, maximum: "
         "600}]\n"
         "  networking: {type: calico, pods: 100.128.0.0/15, services: 100.64.0.0/13, "
         "nodes: 10.250.0.0/16, providerConfig: {overlay: {enabled: false}}}\n";
}

/// A file with usable documents and one that cannot be read.
std::string half_usable_file() {
  return write_temporary("half-usable.yaml", doubtful_shoot() + "---\nkind: [\n");
}

// Text has one line per finding, which programs parse; it is rendered separately from the document
// for Markdown and HTML. Text and JUnit only count silenced findings, because the user who silenced
// them does not want to read them there. The other formats list them.
TEST(Formats, OfCheckHaveEveryFinding) {
  const std::string silent = write_temporary(
      "silent.yaml",
      doubtful_shoot(
          ", annotations: {overlane.dev/ignore: \"public-range, too-few-node-ranges\"}"));
  struct Row {
    std::string arguments;
    std::size_t findings;  ///< At least.
    std::size_t silenced;
  };
  for (const Row& row :
       {Row{"topologies/library/manifests topologies/library/landscape", 100, 0},
        Row{"topologies/library/manifests/shoot-aws-ipv6.yaml", 0, 0},
        Row{"topologies/library/manifests/shoot-openstack.yaml", 3, 0}, Row{silent, 0, 2},
        Row{"--fail-on warning " + write_temporary("doubtful.yaml", doubtful_shoot()), 2, 0},
        Row{"scenarios/library/short-flows.yaml", 1, 0}, Row{half_usable_file(), 3, 0}}) {
    SCOPED_TRACE(row.arguments);
    Answers all = answers("check", row.arguments);
    const std::string page = write_temporary("check.html", "");
    all.markdown = words_of(
        run_overlane(fmt::format("check -o markdown {} --html {}", row.arguments, page)).out,
        answer::testing::Format::Markdown);
    all.page = words_of(read_text(page), answer::testing::Format::Html);
    const json& findings = all.document["findings"];
    EXPECT_GE(findings.size(), row.findings);
    EXPECT_EQ(all.document["silenced"].size(), row.silenced);
    EXPECT_THAT(all.error, IsEmpty()) << "a note that no other format has";
    for (const std::string* format : {&all.text, &all.sarif, &all.junit, &all.markdown, &all.page})
      EXPECT_THAT(missing_texts(finding_texts(findings), *format), IsEmpty());
    for (const std::string* format : {&all.sarif, &all.markdown, &all.page})
      EXPECT_THAT(missing_texts(finding_texts(all.document["silenced"]), *format), IsEmpty());
    const json& summary = all.document["summary"];
    std::vector<std::string> counts;
    for (const char* what : {"shoot", "error", "warning"}) {
      const auto count = summary[what + std::string("s")].get<std::size_t>();
      counts.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
    }
    if (row.silenced > 0) counts.push_back(fmt::format("{} silenced by annotations", row.silenced));
    for (const std::string* format : {&all.text, &all.markdown, &all.page})
      EXPECT_THAT(missing_texts(counts, *format), IsEmpty());
  }
}

// CSV contains only the overlaps, as a table for spreadsheets. The text shows the impact of the
// first overlap of each group.
TEST(Formats, OfOverlapHaveEveryOverlapQuotaAndFinding) {
  const Answers all =
      answers("overlap", fmt::format("--notes --pairs 1000000 --plan {}", kLandscape));
  const std::string csv =
      csv_words(run_overlane(fmt::format("overlap --notes -o csv {}", kLandscape)).out);
  ASSERT_GT(all.document["overlaps"].size(), 100u);
  std::vector<std::string> overlaps, details, advice;
  for (const json& overlap : all.document["overlaps"]) {
    for (const char* end : {"a", "b"})
      overlaps.insert(overlaps.end(), {overlap[end]["owner"], overlap[end]["cidr"]});
    overlaps.insert(overlaps.end(), {overlap["intersection"], overlap["rule"]});
    details.push_back(overlap["consequence"]);
    advice.push_back(overlap["hint"]);
  }
  for (const std::string* format : {&all.text, &all.sarif, &all.junit, &csv})
    EXPECT_THAT(missing_texts(overlaps, *format), IsEmpty());
  for (const std::string* format : {&all.sarif, &all.junit, &csv}) {
    EXPECT_THAT(missing_texts(details, *format), IsEmpty());
    EXPECT_THAT(missing_texts(advice, *format), IsEmpty());
  }

  ASSERT_FALSE(all.document["findings"].empty());
  const std::vector<std::string> findings = finding_texts(all.document["findings"]);
  for (const std::string* format : {&all.text, &all.sarif, &all.junit})
    EXPECT_THAT(missing_texts(findings, *format), IsEmpty());

  std::vector<std::string> rest;
  for (const json& step : all.document["plan"]) {
    rest.push_back(step["shoot"]);
    for (const json& change : step["changes"])
      if (change["to"].is_string())
        rest.push_back(fmt::format("{} -> {}", change["from"].get<std::string>(),
                                   change["to"].get<std::string>()));
  }
  ASSERT_FALSE(all.document["then_apply"].empty());
  for (const json& shoot : all.document["then_apply"])
    rest.push_back(fmt::format("then apply {}", shoot.get<std::string>()));
  ASSERT_FALSE(all.document["doubts"].empty());
  for (const json& doubt : all.document["doubts"])
    rest.push_back(doubt);
  EXPECT_THAT(missing_texts(rest, all.text), IsEmpty());
}

// If --pairs allows all pairs, the text also has every finding about documents.
TEST(Formats, OfOverlapHaveEveryFindingOfARule) {
  std::string shoots;
  for (int i = 0; i < 12; ++i) {
    std::string shoot = doubtful_shoot();
    shoot.replace(shoot.find("one"), 3, fmt::format("s{}", i));
    shoot.replace(shoot.find("workers:"), 8, "wrokers:");
    shoots += shoot + "---\n";
  }
  const std::string file = write_temporary("misspelt.yaml", shoots);
  const Answers all = answers("overlap", "--pairs 1000 " + file);
  ASSERT_GE(all.document["findings"].size(), 12u);
  const std::vector<std::string> findings = finding_texts(all.document["findings"]);
  for (const std::string* format : {&all.text, &all.sarif, &all.junit})
    EXPECT_THAT(missing_texts(findings, *format), IsEmpty());
  EXPECT_THAT(run_overlane("overlap --pairs 2 " + file).out,
              testing::HasSubstr("… and 10 of this rule (--pairs N shows more)"));
}

// "What if" results, proposals and differences to a baseline are in the text as well as in the
// JSON.
TEST(Formats, OfOverlapHaveWhatWasAskedFor) {
  const auto both = [](const std::string& arguments) {
    return std::pair(words_of(run_overlane("overlap --pairs 1000000 " + arguments).out),
                     json::parse(run_overlane("overlap -o json " + arguments).out));
  };
  const auto [free, proposed] =
      both(fmt::format("--domain gcp/shared-vpc --propose 2/16 {}", kLandscape));
  ASSERT_EQ(proposed["proposals"].size(), 2u);
  for (const json& proposal : proposed["proposals"])
    EXPECT_THAT(
        missing_texts(
            {fmt::format("pods {} services {} {} nodes of /{}", proposal["pods"].get<std::string>(),
                         proposal["services"].get<std::string>(), proposal["max_nodes"].get<int>(),
                         proposal["node_cidr_mask_size"].get<int>())},
            free),
        IsEmpty());
  const auto [text, what_if] = both(fmt::format(
      "--assume garden-erp/batch=overlay --assume garden-erp/files=overlay {}", kLandscape));
  const json& gone = what_if["what_if"]["gone"];
  ASSERT_FALSE(gone.empty());
  std::vector<std::string> resolved;
  for (const json& overlap : gone)
    resolved.insert(resolved.end(), {overlap["a"]["owner"], overlap["b"]["owner"],
                                     overlap["intersection"], overlap["rule"]});
  for (const json& finding : what_if["what_if"]["gone_findings"])
    resolved.push_back(finding["message"]);
  EXPECT_THAT(missing_texts(resolved, text), IsEmpty());
}

TEST(Formats, OfRunHaveEveryFindingVariantDropAndAssumption) {
  const std::string manifests = "topologies/library/manifests/";
  for (const std::string& arguments :
       {manifests + "shoot-aws.yaml --nodes 2 --set landscape.route-quota.aws=1",
        manifests + "shoot-azure.yaml", manifests + "shoot-aws.yaml --max-events 5000",
        std::string("scenarios/library/cloud-route-vanishes.yaml --no-ranges")}) {
    SCOPED_TRACE(arguments);
    const std::string page = write_temporary("run.html", "");
    const Answer text = run_overlane(fmt::format("run {} --html {}", arguments, page));
    const Answer markdown = run_overlane("run -o markdown " + arguments);
    const json document = json::parse(run_overlane("run -o json " + arguments).out);
    std::vector<std::string> statements = finding_texts(document["findings"]);
    const auto add = [&](const json& of, std::initializer_list<const char*> fields) {
      for (const char* field : fields)
        if (of.contains(field) && of[field].is_string()) statements.push_back(of[field]);
    };
    ASSERT_FALSE(document["assumptions"].empty());
    for (const json& one : document["assumptions"])
      add(one, {"parameter", "value", "range", "source"});
    for (const json& variant : document["variants"]) {
      add(variant, {"name", "status", "reason"});
      for (const json& limit : variant["limits"])
        add(limit, {"station", "constant", "source"});
      for (const json& traffic : variant["traffic"])
        for (const auto& [reason, count] : traffic["drops"].items())
          if (count != 0) statements.push_back(reason);
    }
    for (const auto& [rendering, format] :
         {std::pair(&text.out, answer::testing::Format::Text),
          std::pair(&markdown.out, answer::testing::Format::Markdown)})
      EXPECT_THAT(missing_texts(statements, words_of(*rendering, format)), IsEmpty());
    EXPECT_THAT(missing_texts(statements, words_of(read_text(page), answer::testing::Format::Html)),
                IsEmpty());
  }
}

// The first line of the text is `reachability` of the JSON and contains each of its parts.
TEST(Formats, OfExplainHaveTheStatementOfReachability) {
  const auto shoot = [](std::string_view provider, std::string_view config) {
    return write_temporary(
        fmt::format("{}-{}.yaml", provider, config.size()),
        fmt::format("apiVersion: core.gardener.cloud/v1beta1\nkind: Shoot\n"
                    "metadata: {{name: one, namespace: garden-dev}}\nspec:\n"
                    "  provider:\n    type: {}\n"
                    "    workers: [{{name: w, minimum: 2, maximum: 600}}]\n"
                    "  networking: {{type: calico, pods: 100.128.0.0/15, services: 100.64.0.0/13, "
                    "nodes: 10.250.0.0/16, providerConfig: {}}}\n",
                    provider, config));
  };
  struct Row {
    std::string arguments;
    const char* pods;
    json mode;
  };
  const std::string routed = "{overlay: {enabled: false}}";
  const std::string overlay = "{overlay: {enabled: true}}";
  for (const Row& row : {Row{shoot("aws", routed), "all-nodes", "routed"},
                         Row{"--set landscape.link-mtu=1400 " + shoot("gcp",
                                                                      "{overlay: {enabled: true}, "
                                                                      "vethMTU: \"1430\"}"),
                             "all-nodes", "overlay"},
                         Row{shoot("ironcore", routed), "all-nodes", "routed"},
                         Row{"--set landscape.openstack.ovn=true " + shoot("openstack", routed),
                             "no-other-node", nullptr},
                         Row{"--stage live " + shoot("azure", overlay), "no-other-node", nullptr},
                         Row{shoot("aws", "{overlay: {enabled: false}, vxlan: {enabled: true}}"),
                             "no-other-node", nullptr}}) {
    SCOPED_TRACE(row.arguments);
    const std::string text = words_of(run_overlane("explain " + row.arguments).out);
    const json document = json::parse(run_overlane("explain -o json " + row.arguments).out);
    const json& said = document["networks"][0]["reachability"];
    EXPECT_EQ(said["pods"], row.pods);
    EXPECT_EQ(said["mode"], row.mode);
    EXPECT_EQ(said["reason"].is_null(), said["pods"] == "all-nodes");
    EXPECT_EQ(said["largest_packet_bytes"].is_null(), row.mode.is_null());
    std::vector<std::string> parts = {
        fmt::format("{} [row {}]", said["statement"].get<std::string>(),
                    document["networks"][0]["row"].get<std::string>())};
    for (const char* field : {"reason", "condition"})
      if (said[field].is_string()) parts.push_back(said[field]);
    for (const char* field : {"largest_packet_bytes", "largest_on_link_bytes"})
      if (said[field].is_number()) parts.push_back(fmt::format("{} bytes", said[field].dump()));
    if (said["most_nodes"].is_number())
      parts.push_back(fmt::format("on more than {} nodes", said["most_nodes"].dump()));
    EXPECT_THAT(missing_texts(parts, text), IsEmpty());
  }
}

// Findings about the documents are in the text as well as in the JSON, and determine the exit code.
TEST(Formats, OfExplainAndTraceHaveEveryFinding) {
  struct Row {
    std::string file;
    int exit_code;
  };
  for (const Row& row :
       {Row{write_temporary("doubtful.yaml", doubtful_shoot()), 0}, Row{half_usable_file(), 1}}) {
    for (const char* verb : {"explain", "trace"}) {
      SCOPED_TRACE(fmt::format("{} {}", verb, row.file));
      const Answer text = run_overlane(fmt::format("{} {}", verb, row.file));
      const Answer document = run_overlane(fmt::format("{} -o json {}", verb, row.file));
      EXPECT_EQ(text.exit_code, row.exit_code);
      EXPECT_EQ(document.exit_code, row.exit_code);
      const json findings = json::parse(document.out)["findings"];
      EXPECT_TRUE(!findings.empty() || row.exit_code == 0);
      EXPECT_THAT(missing_texts(finding_texts(findings), words_of(text.out)), IsEmpty());
    }
    EXPECT_THAT(run_overlane("explain " + row.file).out, testing::HasSubstr("too-few-node-ranges"));
    const Answer state = run_overlane("explain --node-state " + row.file);
    EXPECT_EQ(state.exit_code, row.exit_code);
    EXPECT_EQ(state.out.find("error: ") != std::string::npos, row.exit_code != 0);
    const Answer difference =
        run_overlane(fmt::format("explain {} --compare-to {}", row.file, row.file));
    EXPECT_EQ(difference.exit_code, row.exit_code);
    EXPECT_THAT(difference.out, testing::StartsWith("nothing differs\n\nwarnings and notes\n"));
  }
}

}  // namespace formats_test
}  // namespace overlane::command
