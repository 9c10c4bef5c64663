#include "results/finding/finding.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::Note:
      return "note";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

std::string ObjectName::qualified() const {
  return namespace_.empty() ? name : namespace_ + '/' + name;
}

std::string Finding::to_string() const {
  const std::string where = place.to_string();
  std::string text = where.empty() ? "" : fmt::format("{}: ", where);
  text += fmt::format("{}: {}", overlane::to_string(severity), message);
  if (!rule.empty()) text += fmt::format(" [{}]", rule);
  if (!hint.empty()) text += fmt::format("; {}", hint);
  return text;
}

bool any_at_or_above(const Findings& findings, Severity threshold) {
  return std::ranges::any_of(findings, [=](const Finding& f) { return f.severity >= threshold; });
}

}  // namespace overlane
