#include "topologies/explain/difference.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/finding/finding.h"
#include "results/report/document_text.h"
#include "results/report/text.h"
#include "topologies/document/tree/tree.h"

namespace overlane::explain {
namespace {

using document::one_line;
using effective::EffectiveDataplane;
using effective::Reason;
using Json = nlohmann::ordered_json;

std::string name_of(const EffectiveDataplane& network) {
  return ObjectName{network.kind, network.namespace_, network.name}.qualified();
}

bool same_object(const EffectiveDataplane& a, const EffectiveDataplane& b) {
  return a.kind == b.kind && name_of(a) == name_of(b);
}

const Reason* find(const std::vector<Reason>& reasons, std::string_view field) {
  const auto found = std::ranges::find(reasons, field, &Reason::field);
  return found == reasons.end() ? nullptr : &*found;
}

std::vector<Difference::Field> changed_fields(const EffectiveDataplane& before,
                                              const EffectiveDataplane& after) {
  std::vector<Difference::Field> fields;
  for (const Reason& old : before.reasons) {
    const Reason* now = find(after.reasons, old.field);
    if (now == nullptr || now->value != old.value)
      fields.push_back({old, now == nullptr ? Reason{} : *now});
  }
  for (const Reason& now : after.reasons)
    if (find(before.reasons, now.field) == nullptr) fields.push_back({Reason{}, now});
  return fields;
}

const char* word(Difference::Kind kind) {
  switch (kind) {
    case Difference::Kind::Changed:
      return "changed";
    case Difference::Kind::Added:
      return "added";
    case Difference::Kind::Removed:
      return "removed";
  }
  return "";
}

Json encode(const Reason& reason) {
  if (reason.field.empty()) return nullptr;
  return Json{{"value", reason.value},
              {"because", reason.because.to_string()},
              {"source", reason.source.dated()},
              {"assumed", reason.assumed}};
}

}  // namespace

std::vector<Difference> compare(const Explanation& before, const Explanation& after) {
  const bool only_one = before.networks.size() == 1 && after.networks.size() == 1;
  const auto partner = [&](const EffectiveDataplane& network,
                           const Explanation& others) -> const EffectiveDataplane* {
    if (only_one) return &others.networks.front();
    const auto found = std::ranges::find_if(
        others.networks, [&](const auto& other) { return same_object(network, other); });
    return found == others.networks.end() ? nullptr : &*found;
  };
  std::vector<Difference> differences;
  for (const EffectiveDataplane& old : before.networks) {
    const EffectiveDataplane* now = partner(old, after);
    if (now == nullptr) {
      differences.push_back({name_of(old), Difference::Kind::Removed, {}});
    } else if (auto fields = changed_fields(old, *now); !fields.empty()) {
      differences.push_back({name_of(*now), Difference::Kind::Changed, std::move(fields)});
    }
  }
  for (const EffectiveDataplane& now : after.networks)
    if (partner(now, before) == nullptr)
      differences.push_back({name_of(now), Difference::Kind::Added, {}});
  return differences;
}

std::string print(const std::vector<Difference>& differences, const Findings& findings,
                  report::Style style) {
  if (differences.empty()) return "nothing differs\n" + report::remarks_text(findings, style);
  const std::size_t width = report::terminal_width();
  std::string text;
  for (const Difference& difference : differences) {
    text += fmt::format("{}{}  {}\n", text.empty() ? "" : "\n", one_line(difference.network),
                        word(difference.kind));
    for (const Difference::Field& field : difference.fields) {
      const Reason& named = field.after.field.empty() ? field.before : field.after;
      text += fmt::format("  {}\n", named.field);
      text += report::wrapped(
          "    - ", field.before.field.empty() ? "(none)" : one_line(field.before.value), width);
      text += report::wrapped(
          "    + ", field.after.field.empty() ? "(none)" : one_line(field.after.value), width);
      if (!field.after.field.empty())
        text += report::wrapped("      ",
                                one_line(fmt::format("{} ({})", field.after.because.to_string(),
                                                     field.after.source.to_string())),
                                width);
    }
  }
  return text + report::remarks_text(findings, style);
}

nlohmann::ordered_json encode(const std::vector<Difference>& differences,
                              const Findings& findings) {
  Json networks = Json::array();
  for (const Difference& difference : differences) {
    Json fields = Json::array();
    for (const Difference::Field& field : difference.fields)
      fields.push_back(
          Json{{"field", field.after.field.empty() ? field.before.field : field.after.field},
               {"before", encode(field.before)},
               {"after", encode(field.after)}});
    networks.push_back(Json{{"network", difference.network},
                            {"change", word(difference.kind)},
                            {"fields", std::move(fields)}});
  }
  return Json{{"schema_version", 1},
              {"kind", "ExplanationDifference"},
              {"networks", std::move(networks)},
              {"findings", overlane::encode(findings)}};
}

}  // namespace overlane::explain
