#pragma once

#include <span>
#include <vector>

#include "dataplane/kernel/set_up/run_commands.h"

namespace overlane::kernel {

/// Returns the commands that turn a namespace that was made by the commands `before` into one that
/// `after` would have made. Both must come from set_up() or fabric_set_up(), for the same node or
/// fabric.
///
/// What both have stays untouched, so that packets that use it are not disturbed: routes are
/// replaced in place, a device that differs in its MTU alone keeps its routes and neighbours, and
/// all rules of a packet filter's table change at once. The result is empty if nothing differs.
std::vector<Command> commands_between(std::span<const Command> before,
                                      std::span<const Command> after);

}  // namespace overlane::kernel
