#pragma once

#include "tools/overlane/overlap/compared.h"
#include "tools/overlane/overlap/options.h"
#include "topologies/overlap/compare/baseline.h"
#include "topologies/overlap/inventory/read.h"

namespace overlane::command {

/// What the options ask of the landscape. `as_it_is`: nullptr but for a question "what if";
/// `baseline`: nullptr where none is given. The reader knows every shoot that meets another one.
overlap::OverlapReport answer(const OverlapOptions& options, const overlap::LandscapeReader& reader,
                              const Compared& compared, const Compared* as_it_is,
                              const overlap::Baseline* baseline);

}  // namespace overlane::command
