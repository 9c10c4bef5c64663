#pragma once

#include <span>

#include "topologies/cni/extension/switch_inputs.h"
#include "topologies/update/update.h"

namespace overlane::update {

using rules::Check;

/// Of the object as a whole.
std::span<const Check<ObjectUpdate>> object_checks();
/// Of fields that may not change, or only so.
std::span<const Check<SpecUpdate>> field_checks();
/// Of the InfrastructureConfig, by provider.
std::span<const Check<SpecUpdate>> infrastructure_checks();
/// Of the overlay key, which admission looks after.
std::span<const Check<SpecUpdate>> overlay_checks();
/// Of what switching the dataplane of a running shoot brings about.
std::span<const Check<cni::SwitchInputs>> switch_lints();
/// The same of IP families and of what turns services' addresses into pods'.
std::span<const Check<cni::SwitchInputs>> family_lints();

}  // namespace overlane::update
