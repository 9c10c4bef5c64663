#pragma once

#include <span>
#include <string_view>

#include "topologies/cni/extension/profile.h"

namespace overlane::cni {

/// The coded CNIs.
std::span<const Profile* const> profiles();

/// The CNI whose agent configures the nodes. A network type that a NetworkProvider file describes
/// names one of these agents.
const Profile& profile_of(effective::NodeAgent agent);
/// nullptr where no coded CNI has this networking.type.
const Profile* find_profile(std::string_view network_type);

}  // namespace overlane::cni
