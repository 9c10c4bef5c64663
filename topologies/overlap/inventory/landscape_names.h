#pragma once

#include <string>

#include "topologies/domains/declarations.h"
#include "topologies/overlap/inventory/shoot.h"

namespace overlane::overlap {

/// Objects of a named landscape may have the names of another one's: a shoot, and the credentials
/// that it refers to, are told apart by "LANDSCAPE:namespace/name".
void put_into_landscape(const std::string& landscape, Shoot& shoot);
/// What is declared in a document of the landscape means its shoots and credentials.
void put_into_landscape(const std::string& landscape, domains::Declarations& declared);

}  // namespace overlane::overlap
