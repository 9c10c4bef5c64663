#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tools/overlane/testing/generated_shoots.h"

namespace overlane::agreement {

/// How many shoots had a property, so that a test shows that it met them.
using Counts = std::map<std::string, std::size_t>;

/// Asks `explain`, `check`, `trace`, `run` and `migrate` about one shoot, by the libraries behind
/// those verbs, and lists where their answers differ: who writes routes, which pods reach each
/// other, and the MTU. Empty: they agree.
std::vector<std::string> contradictions(const GeneratedShoot& shoot, Counts& counts);

/// The answer of `explain` as text, and of `trace` between the first pods of two nodes. Require
/// that the shoot is admitted.
std::string explained_text(const GeneratedShoot& shoot);
std::string traced_text(const GeneratedShoot& shoot);

}  // namespace overlane::agreement
