#pragma once

#include <span>

#include "topologies/cni/extension/network_extension.h"
#include "topologies/update/update.h"

namespace overlane::update {

using rules::Check;

/// Rules about the object as a whole.
std::span<const Check<ObjectUpdate>> object_checks();
/// Rules about fields that may not change, or only in some ways.
std::span<const Check<SpecUpdate>> field_checks();
/// Rules about the InfrastructureConfig, by provider.
std::span<const Check<SpecUpdate>> infrastructure_checks();
/// Rules about the overlay key, which admission writes.
std::span<const Check<SpecUpdate>> overlay_checks();
/// Rules about a change of the dataplane of a running shoot, for every CNI.
std::span<const Check<cni::SwitchInputs>> switch_lints();
/// Rules about a change of IP families or of service routing.
std::span<const Check<cni::SwitchInputs>> family_lints();

}  // namespace overlane::update
