#pragma once

#include <string>
#include <string_view>

#include "tools/overlane/overlap/compared.h"
#include "tools/overlane/overlap/options.h"

namespace overlane::command {

/// The domain that new shoots are to be put into: the one that is named, or the only one there is.
const overlap::Domain* domain_for_proposals(const OverlapOptions& options,
                                            const overlap::RoutingScopes& routing_scopes);

/// Why there is nothing to compare; empty: there is.
std::string_view lack(const OverlapOptions& options, const overlap::Inventory& inventory);

/// Why the question makes no sense with these inputs; empty: it does.
std::string objection(const OverlapOptions& options, const Compared& compared);

}  // namespace overlane::command
