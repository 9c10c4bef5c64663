#pragma once

#include "topologies/document/tree/tree.h"

namespace overlane::update {

/// Whether two values are equal to Kubernetes: the order of a mapping's keys is ignored, and a null
/// is an absent field.
bool same_value(const document::Value& a, const document::Value& b);

}  // namespace overlane::update
