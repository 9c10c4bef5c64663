#pragma once

#include <cstdint>

#include "scenarios/runner/failure.h"
#include "scenarios/runner/runner.h"

namespace overlane::runner {

/// The dataplane as this variant's patch makes it, laid out like the shoot as written.
Result<effective::EffectiveDataplane> variant_dataplane(const Subject& subject,
                                                        const spec::Variant& variant);

/// One variant of a scenario, run with `seed`.
struct VariantRun {
  model::Variant variant;
  std::vector<model::Assumption> assumptions;  ///< Those of this variant only.
  Findings findings;
};

/// A failure is an internal error.
Outcome<VariantRun> run_variant(const Prepared& prepared, const spec::Variant& variant,
                                std::uint64_t seed);

}  // namespace overlane::runner
