#pragma once

#include <string>
#include <string_view>

#include "dataplane/net/units.h"
#include "results/finding/result.h"

namespace overlane::migration {

/// What happens in the middle of a switch.
struct Disturbance {
  /// The operator changes the Shoot back.
  static constexpr std::string_view kRollback = "rollback";
  Picos at;  ///< After the change of the Shoot.
};

/// Parses "rollback@2m". Fails with what is wrong.
Result<Disturbance, std::string> parse_disturbance(std::string_view text);

}  // namespace overlane::migration
