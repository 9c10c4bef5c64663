#pragma once

#include <span>
#include <string_view>

#include "topologies/cni/extension/profile.h"

namespace overlane::cni {

// The profiles of the CNIs that are implemented in code (cni::Profile). A command never names a
// CNI: it looks the profile up by networking.type or by the agent on the nodes, and calls its
// functions. Network types that a NetworkProvider file describes are not in this table; their
// profile is that of the agent that the file names. The table is constant: any thread may read it.

/// The coded CNIs.
std::span<const Profile* const> profiles();

/// The CNI whose agent configures the nodes. A network type that a NetworkProvider file describes
/// names one of these agents.
const Profile& profile_of(effective::NodeAgent agent);
/// The coded CNI with this networking.type; null if there is none.
const Profile* find_profile(std::string_view network_type);

}  // namespace overlane::cni
