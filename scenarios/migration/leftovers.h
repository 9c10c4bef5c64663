#pragma once

#include <string>
#include <vector>

#include "scenarios/migration/simulate.h"

namespace overlane::migration {

/// Something that is otherwise after the switch, and what to do about it.
struct Leftover {
  std::string what;
  std::string remedy;
};

/// Routes and devices that stay, and MTUs and masquerading that differ, at the end of a simulated
/// switch. `is_back`: the switch was taken back, so that only routes and devices count.
std::vector<Leftover> leftovers(const Transition& transition, const Course& course, bool is_back);

/// The largest packets of running pods, in bytes, that pods made later cannot receive from them
/// because the new tunnel carries less; 0: there are none.
std::uint32_t oversized_packets(const Transition& transition, const Course& course);

}  // namespace overlane::migration
