#pragma once

#include <span>
#include <vector>

#include "topologies/domains/declarations.h"
#include "topologies/domains/decode.h"
#include "topologies/rules/rule.h"

namespace overlane::domains {

/// What all files declare together, and in what they contradict each other.
struct Merged {
  Declarations declarations;
  Findings findings;
};

/// Joins what files declare, in their order. What is said twice alike counts once, and a network's
/// ranges, route tables and their subnets add up. Of two that contradict each other the first
/// counts; the second is an error that names both places.
Merged merge(const std::vector<DeclarationFile>& files);

/// What is wrong with the stream's documents of kind RoutingDomains, each by itself and together.
Findings judge(const document::Stream& stream);

/// The rules of what `merge` finds.
std::span<const rules::Rule> rules();

}  // namespace overlane::domains
