#pragma once

#include <string>

#include "topologies/domains/declarations.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// Qualifies the shoot and its credentials by the landscape's name: "LANDSCAPE:namespace/name".
void put_into_landscape(const std::string& landscape, Shoot& shoot);
/// Declarations in a landscape's documents refer to its own shoots and credentials.
void put_into_landscape(const std::string& landscape, domains::Declarations& declared);

}  // namespace overlane::overlap
