#include "scenarios/migration/inputs/disturbance.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/migration/inputs/timing.h"
#include "scenarios/spec/quantity.h"

namespace overlane::migration {

std::uint32_t joining_nodes(Disturbance::Kind kind, std::uint32_t nodes) {
  switch (kind) {
    case Disturbance::Kind::Rollback:
      return 0;
    case Disturbance::Kind::ScaleUp:
      return 1;
    case Disturbance::Kind::WorkerRoll:
    case Disturbance::Kind::Hibernate:
      return nodes;
  }
  return 0;
}

std::string to_string(const Disturbance& disturbance) {
  const auto* const known = std::ranges::find(
      kDisturbances, disturbance.kind, &std::pair<std::string_view, Disturbance::Kind>::second);
  return fmt::format("{}@{}", known->first, duration_text(disturbance.at));
}

Result<Disturbance, std::string> parse_disturbance(std::string_view text) {
  const std::size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  const auto* const known = std::ranges::find(
      kDisturbances, name, &std::pair<std::string_view, Disturbance::Kind>::first);
  if (known == kDisturbances.end())
    return fail(fmt::format("there is no disturbance \"{}\"", name));
  if (at == std::string_view::npos) return fail(fmt::format("\"{}\" has no time", text));
  const auto time = spec::parse_duration(text.substr(at + 1), spec::kMaxSwitchDuration);
  if (!time)
    return fail(fmt::format("\"{}\" is no duration: {}", text.substr(at + 1), time.error()));
  return Disturbance{.kind = known->second, .at = *time};
}

}  // namespace overlane::migration
