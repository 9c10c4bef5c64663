#include "scenarios/migration/inputs/disturbance.h"

#include <fmt/format.h>

#include "scenarios/spec/quantity.h"

namespace overlane::migration {

Result<Disturbance, std::string> parse_disturbance(std::string_view text) {
  const std::size_t at = text.find('@');
  if (text.substr(0, at) != Disturbance::kRollback)
    return fail(fmt::format("there is no disturbance \"{}\"", text.substr(0, at)));
  if (at == std::string_view::npos) return fail(fmt::format("\"{}\" has no time", text));
  const auto time = spec::parse_duration(text.substr(at + 1));
  if (!time)
    return fail(fmt::format("\"{}\" is no duration: {}", text.substr(at + 1), time.error()));
  return Disturbance{.at = *time};
}

}  // namespace overlane::migration
