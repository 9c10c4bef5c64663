#include "scenarios/migration/verdict/verdict.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::migration {

std::string_view to_string(MigrationVerdict verdict) {
  switch (verdict) {
    case MigrationVerdict::Go:
      return "go";
    case MigrationVerdict::GoWithImpact:
      return "go-with-impact";
    case MigrationVerdict::Outage:
      return "outage";
    case MigrationVerdict::Unknown:
      return "unknown";
    case MigrationVerdict::NoGo:
      return "no-go";
  }
  return "";
}

Result<AcceptedImpacts, std::string> parse_accepted(std::string_view text) {
  AcceptedImpacts accepted;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    const auto* const known = std::ranges::find(kImpacts, name, &ImpactFacts::name);
    if (known == kImpacts.end()) {
      std::string names;
      for (const ImpactFacts& one : kImpacts)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
      return fail(fmt::format("\"{}\" is no impact; there are {}", name, names));
    }
    accepted.add(known->impact);
    if (comma == std::string_view::npos) return accepted;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace overlane::migration
