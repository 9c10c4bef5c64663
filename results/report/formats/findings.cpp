#include "results/report/formats/findings.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/report/formats/svg.h"

namespace overlane::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";
/// Name of standard input in document::read.
constexpr const char* kStandardInput = "<stdin>";

/// A file path as the path of a URI (RFC 3986 section 3.3).
std::string percent_encoded(const std::string& path) {
  constexpr std::string_view kPlain = "/-._~";
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x80 && std::isalnum(byte)) || kPlain.find(c) != std::string_view::npos)
      text += c;
    else
      text += fmt::format("%{:02X}", byte);
  }
  return text;
}

Json artifact(const std::string& file, const std::string& root) {
  const std::filesystem::path whole =
      (std::filesystem::path(root) / std::filesystem::path(file)).lexically_normal();
  const std::string inside = whole.lexically_relative(root).generic_string();
  if (!inside.empty() && !inside.starts_with(".."))
    return {{"uri", percent_encoded(inside)}, {"uriBaseId", kRoot}};
  return {{"uri", "file://" + percent_encoded(whole.generic_string())}};
}

Json location(const Finding& finding, const std::string& root) {
  Json json = Json::object();
  if (!finding.place.file.empty() && finding.place.file != kStandardInput) {
    Json physical{{"artifactLocation", artifact(finding.place.file, root)}};
    if (finding.place.line > 0) {
      physical["region"]["startLine"] = finding.place.line;
      if (finding.place.column > 0) physical["region"]["startColumn"] = finding.place.column;
    }
    json["physicalLocation"] = std::move(physical);
  }
  const std::string name = finding.object.qualified();
  if (!name.empty())
    json["logicalLocations"] =
        Json::array({{{"fullyQualifiedName",
                       finding.path.empty() ? name : fmt::format("{}: {}", name, finding.path)},
                      {"kind", finding.object.kind}}});
  return json;
}

Json encode(const SarifRule& rule, const std::string& rules_url) {
  Json json{{"id", rule.id},
            {"shortDescription", {{"text", rule.title}}},
            {"fullDescription", {{"text", rule.why}}},
            {"help", {{"text", rule.remedy}}},
            {"defaultConfiguration", {{"level", to_string(rule.severity)}}},
            {"properties",
             {{"section", rule.section}, {"noticedBy", rule.enforcer}, {"source", rule.source}}}};
  if (!rules_url.empty()) json["helpUri"] = fmt::format("{}#{}", rules_url, rule.id);
  return json;
}

Json encode(const Finding& finding, std::span<const SarifRule> rules, const std::string& root) {
  Json json{{"ruleId", finding.rule}};
  const auto found = std::ranges::find(rules, finding.rule, &SarifRule::id);
  if (found != rules.end()) json["ruleIndex"] = found - rules.begin();
  json["level"] = to_string(finding.severity);
  json["message"]["text"] =
      finding.hint.empty() ? finding.message : fmt::format("{}; {}", finding.message, finding.hint);
  json["locations"] = Json::array({location(finding, root)});
  return json;
}

}  // namespace

nlohmann::ordered_json encode_sarif(const FindingSet& set, std::span<const SarifRule> rules,
                                    const SarifOptions& options) {
  Json descriptions = Json::array();
  for (const SarifRule& rule : rules)
    descriptions.push_back(encode(rule, options.rules_url));
  Json results = Json::array();
  for (const Finding& finding : set.findings)
    results.push_back(encode(finding, rules, options.root));
  for (const Finding& finding : set.suppressed) {
    results.push_back(encode(finding, rules, options.root));
    results.back()["suppressions"] = Json::array({{{"kind", "inSource"}}});
  }
  Json run{
      {"tool",
       {{"driver",
         {{"name", "overlane"},
          {"version", options.version},
          {"rules", std::move(descriptions)}}}}},
      {"originalUriBaseIds", {{kRoot, {{"uri", "file://" + percent_encoded(options.root) + "/"}}}}},
      {"columnKind", "unicodeCodePoints"},
      {"results", std::move(results)}};
  return {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", Json::array({std::move(run)})}};
}

namespace {

/// The findings of one shoot or of one file: a test suite of the report.
struct Subject {
  std::string name;
  std::vector<const Finding*> findings;
};

std::string subject_of(const Finding& finding) {
  const std::string name = finding.object.qualified();
  return name.empty() ? finding.place.file.str() : name;
}

std::vector<Subject> subjects_of(const FindingSet& set) {
  std::vector<Subject> subjects;
  std::unordered_map<std::string, std::size_t> numbers;
  const auto subject = [&](const std::string& name) -> Subject& {
    const auto [known, is_new] = numbers.emplace(name, subjects.size());
    return is_new ? subjects.emplace_back(Subject{name, {}}) : subjects[known->second];
  };
  for (const std::string& name : set.subjects)
    subject(name);
  for (const Finding& finding : set.findings)
    subject(subject_of(finding)).findings.push_back(&finding);
  return subjects;
}

/// The violated rules of a subject, each with its findings of at least `threshold`.
std::vector<std::pair<std::string, std::vector<const Finding*>>> violated_rules(
    const Subject& subject, Severity threshold) {
  std::vector<std::pair<std::string, std::vector<const Finding*>>> violated;
  for (const Finding* finding : subject.findings) {
    if (finding->severity < threshold) continue;
    const auto found =
        std::ranges::find(violated, finding->rule, [](const auto& pair) { return pair.first; });
    if (found == violated.end())
      violated.emplace_back(finding->rule, std::vector{finding});
    else
      found->second.push_back(finding);
  }
  return violated;
}

std::string failed_case(const std::string& subject, const std::string& rule,
                        const std::vector<const Finding*>& findings) {
  std::string text = fmt::format(
      "    <testcase classname=\"{}\" name=\"{}\">\n"
      "      <failure type=\"{}\" message=\"{}\">",
      xml_text(subject), xml_text(rule), to_string(findings.front()->severity),
      xml_text(findings.front()->message));
  for (const Finding* finding : findings)
    text += xml_text(finding->to_string()) + '\n';
  return text + "</failure>\n    </testcase>\n";
}

std::string passed_case(const Subject& subject, Severity threshold) {
  std::string output;
  for (const Finding* finding : subject.findings)
    if (finding->severity < threshold) output += xml_text(finding->to_string()) + '\n';
  const std::string start =
      fmt::format("    <testcase classname=\"{}\" name=\"checked\"", xml_text(subject.name));
  if (output.empty()) return start + "/>\n";
  return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", start, output);
}

}  // namespace

std::string encode_junit(const FindingSet& set, Severity threshold) {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  for (const Subject& subject : subjects_of(set)) {
    cases += passed_case(subject, threshold);
    const auto violated = violated_rules(subject, threshold);
    for (const auto& [rule, findings] : violated)
      cases += failed_case(subject.name, rule, findings);
    tests += 1 + violated.size();
    failures += violated.size();
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "  <testsuite name=\"overlane {2}\" tests=\"{0}\" failures=\"{1}\" errors=\"0\">\n"
      "{3}  </testsuite>\n</testsuites>\n",
      tests, failures, set.verb, cases);
}

}  // namespace overlane::report
