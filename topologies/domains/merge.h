#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "topologies/domains/declarations.h"
#include "topologies/rules/rule.h"

// Joins the RoutingDomains files of a landscape into one set of declarations and reports
// contradictions between them, with both places. Which of two contradictory declarations is right
// is not known, so the first one counts and the second is an error.
namespace overlane::domains {

/// The declarations of all files, and their contradictions.
struct Merged {
  Declarations declarations;
  Findings findings;
};

/// Merges declarations in the order of files. Equal repetitions count once; ranges, route tables
/// and their subnets of a network add up. Of two contradictory declarations the first counts; the
/// second is an error that names both places.
Merged merge(const std::vector<DeclarationFile>& files);

/// Findings about the stream's RoutingDomains documents, each alone and all together.
Findings judge(const document::Stream& stream);

/// The rules of merge().
std::span<const rules::Rule> rules();

}  // namespace overlane::domains
