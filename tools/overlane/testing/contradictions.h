#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tools/overlane/testing/generated_shoots.h"

namespace overlane::agreement {

/// Number of shoots by property. A test uses it to show that its sample contains each property.
using Counts = std::map<std::string, std::size_t>;

/// Computes the results of `explain`, `check`, `trace`, `run` and `migrate` for one shoot with the
/// libraries of those verbs, and lists contradictions between them: which component writes routes,
/// which pods reach each other, and the MTU. Empty if there is none.
std::vector<std::string> contradictions(const GeneratedShoot& shoot, Counts& counts);

/// The text of `explain`, and the text of `trace` between the first pods of two nodes. Both require
/// that the shoot passes admission.
std::string explained_text(const GeneratedShoot& shoot);
std::string traced_text(const GeneratedShoot& shoot);

}  // namespace overlane::agreement
