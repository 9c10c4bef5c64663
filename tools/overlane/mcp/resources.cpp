#include "tools/overlane/mcp/resources.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/library/library.h"
#include "tools/overlane/schema/json_schema.h"
#include "topologies/check/rule_book.h"
#include "topologies/library/library.h"

namespace overlane::mcp {
namespace {

constexpr const char* kYaml = "application/yaml";
constexpr const char* kText = "text/plain";
constexpr std::string_view kRulePrefix = "overlane://rules/";

/// The text of one rule; nothing if the URI names none.
std::optional<std::string> rule_text(std::string_view uri) {
  if (!uri.starts_with(kRulePrefix)) return std::nullopt;
  const check::RuleBook book;
  const auto* rule = book.find(uri.substr(kRulePrefix.size()));
  return rule == nullptr ? std::nullopt : std::optional(check::explain_rule(*rule));
}

Json contents(const std::string& uri, std::string_view media_type, std::string text) {
  return {{"contents", {{{"uri", uri}, {"mimeType", media_type}, {"text", std::move(text)}}}}};
}

}  // namespace

Resources::Resources() {
  resources_.push_back({"overlane://rules", "rules", "All rules of check, one per line", kText,
                        [] { return check::list_rules(check::RuleBook()); }});
  for (const command::SchemaKind& kind : command::schema_kinds())
    resources_.push_back({fmt::format("overlane://schemas/{}", kind.name),
                          fmt::format("schema {}", kind.name), std::string(kind.about),
                          "application/schema+json",
                          [schema = kind.schema] { return schema().dump(2) + "\n"; }});
  for (const auto& [file, text] : topology_library::library_files())
    resources_.push_back({fmt::format("overlane://library/topologies/{}", file), std::string(file),
                          "Manifest, topology or network provider of the library; its name without "
                          ".yaml is accepted as a path",
                          kYaml, [text = text] { return std::string(text); }});
  for (const std::string_view file : library::file_names())
    resources_.push_back({fmt::format("overlane://library/scenarios/{}", file), std::string(file),
                          "Scenario, cost profile or table of measurements of the library", kYaml,
                          [text = *library::find(file)] { return std::string(text); }});
}

Json Resources::list() const {
  Json entries = Json::array();
  for (const Resource& one : resources_)
    entries.push_back({{"uri", one.uri},
                       {"name", one.name},
                       {"description", one.description},
                       {"mimeType", one.media_type}});
  return {{"resources", std::move(entries)}};
}

Json Resources::list_templates() const {
  return {{"resourceTemplates",
           {{{"uriTemplate", fmt::format("{}{{id}}", kRulePrefix)},
             {"name", "rule"},
             {"description", "One rule of check: its reason, source, example and remedy"},
             {"mimeType", kText}}}}};
}

Answer<Json> Resources::read(const Json& params) const {
  const auto given = params.find("uri");
  if (given == params.end() || !given->is_string())
    return fail(RpcError{ErrorCode::InvalidParams, "uri is missing or no string"});
  const auto uri = given->get<std::string>();
  const auto known = std::ranges::find(resources_, uri, &Resource::uri);
  if (known != resources_.end()) return contents(uri, known->media_type, known->text());
  if (auto rule = rule_text(uri)) return contents(uri, kText, *std::move(rule));
  return fail(RpcError{ErrorCode::ResourceNotFound, fmt::format("there is no resource {}", uri)});
}

}  // namespace overlane::mcp
