#pragma once

#include <string>

#include "topologies/overlap/impact/network_relation.h"

namespace overlane::overlap {

/// Who has a range, and what it is.
struct Owner {
  std::string name;
  Role role = Role::Pods;
  Carriage carriage = Carriage::None;
};

/// What comes of an overlap of two, whichever stands first: a sentence.
std::string consequence(const Meaning& meaning, const Relation& relation,
                        effective::Provider provider, Owner first, Owner second);

}  // namespace overlane::overlap
