#pragma once

#include "topologies/cni/extension/profile.h"

namespace overlane::cilium {

/// gardener-extension-networking-cilium.
extern const cni::Profile kCilium;

}  // namespace overlane::cilium
