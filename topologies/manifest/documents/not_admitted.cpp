#include "topologies/manifest/documents/not_admitted.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::manifest {

std::optional<Finding> not_admitted(const Findings& findings) {
  const auto first = std::ranges::find(findings, Severity::Error, &Finding::severity);
  if (first == findings.end()) return std::nullopt;
  Finding refusal = *first;
  const auto errors = std::ranges::count(findings, Severity::Error, &Finding::severity);
  if (errors > 1) refusal.message += fmt::format(" (and {} more)", errors - 1);
  if (!refusal.hint.empty()) refusal.hint += ' ';
  refusal.hint += fmt::format("(rule {})", refusal.rule);
  refusal.rule = "not-admitted";
  return refusal;
}

}  // namespace overlane::manifest
