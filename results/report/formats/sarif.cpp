#include "results/report/formats/sarif.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

}  // namespace overlane::report
