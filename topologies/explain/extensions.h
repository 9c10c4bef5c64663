#pragma once

#include <span>
#include <string_view>

#include "topologies/effective/network_extension.h"

namespace overlane::explain {

/// The network extensions that this program knows.
std::span<const effective::NetworkExtension* const> network_extensions();

/// The one of this networking.type; nullptr if it is not known.
const effective::NetworkExtension* extension_of(std::string_view type);

}  // namespace overlane::explain
