#pragma once

#include <span>
#include <string_view>

#include "topologies/rules/rule.h"

namespace overlane::overlap {

/// Routed pods of two shoots in one route table.
inline constexpr std::string_view kContested = "overlap-routes-contested";

/// Every rule about overlaps and route budgets.
std::span<const rules::Rule> rules();
/// The rule of an id of that list.
const rules::Rule& rule(std::string_view id);

/// The title without its full stop: "Subnets of one network, or pod ranges in them, overlap".
std::string_view fault(const rules::Rule& rule);

}  // namespace overlane::overlap
