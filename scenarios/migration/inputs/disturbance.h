#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "dataplane/net/units.h"
#include "results/finding/finding.h"

namespace overlane::migration {

/// What happens in the middle of a switch.
struct Disturbance {
  enum class Kind : std::uint8_t {
    Rollback,    ///< The operator changes the Shoot back.
    ScaleUp,     ///< A node joins.
    WorkerRoll,  ///< All machines are replaced, one after another.
    Hibernate,   ///< All machines are deleted, and new ones made when the shoot is woken up.
  };
  Kind kind{};
  Picos at;  ///< After the change of the Shoot.
};

inline constexpr std::array<std::pair<std::string_view, Disturbance::Kind>, 4> kDisturbances{{
    {"rollback", Disturbance::Kind::Rollback},
    {"scale-up", Disturbance::Kind::ScaleUp},
    {"worker-roll", Disturbance::Kind::WorkerRoll},
    {"hibernate", Disturbance::Kind::Hibernate},
}};

/// Whether it is a change of the Shoot, which gardenlet reconciles.
inline bool changes_shoot(Disturbance::Kind kind) {
  return kind != Disturbance::Kind::ScaleUp;
}
/// How many nodes join in the course of it, of a cluster of so many.
std::uint32_t joining_nodes(Disturbance::Kind kind, std::uint32_t nodes);

/// "rollback@120 s".
std::string to_string(const Disturbance& disturbance);

/// Parses "rollback@120s". Fails with what is wrong.
Result<Disturbance, std::string> parse_disturbance(std::string_view text);

}  // namespace overlane::migration
