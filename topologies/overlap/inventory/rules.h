#pragma once

#include <span>
#include <string_view>

#include "topologies/rules/rule.h"

// The rules of `overlane overlap`. Each rule describes the effect of an overlap of two ranges, or
// of too many routes in one table. They are in the form of the rules of `overlane check`
// (topologies/rules/rule.h), so that findings and the rule reference treat both alike. The table is
// a constant; `rule()` requires an id of it.
namespace overlane::overlap {

/// Rule about routed pods of two shoots in one route table.
inline constexpr std::string_view kContested = "overlap-routes-contested";

/// Every rule about overlaps and route budgets.
std::span<const rules::Rule> rules();
/// Returns the rule with this id, which must exist.
const rules::Rule& rule(std::string_view id);

/// The title without its full stop: "Subnets of one network, or pod ranges in them, overlap".
std::string_view fault(const rules::Rule& rule);

}  // namespace overlane::overlap
