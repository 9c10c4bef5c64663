#include "topologies/witness/unsupported.h"

#include <utility>

#include <fmt/format.h>

namespace overlane::witness {

tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = std::string(kUnsupported),
                      .severity = Severity::Note,
                      .message = fmt::format("{}: {}", object.qualified(), message),
                      .object = object,
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

}  // namespace overlane::witness
