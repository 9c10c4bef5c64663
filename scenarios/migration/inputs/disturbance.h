#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/net/units.h"
#include "results/finding/result.h"

namespace overlane::migration {

/// What happens in the middle of a switch.
struct Disturbance {
  enum class Kind : std::uint8_t {
    Rollback,  ///< The operator changes the Shoot back.
    ScaleUp,   ///< A node joins.
  };
  Kind kind{};
  Picos at;  ///< After the change of the Shoot.
};

inline constexpr std::array<std::pair<std::string_view, Disturbance::Kind>, 2> kDisturbances{{
    {"rollback", Disturbance::Kind::Rollback},
    {"scale-up", Disturbance::Kind::ScaleUp},
}};

/// "rollback@120 s".
std::string to_string(const Disturbance& disturbance);

/// Parses "rollback@120s". Fails with what is wrong.
Result<Disturbance, std::string> parse_disturbance(std::string_view text);

}  // namespace overlane::migration
