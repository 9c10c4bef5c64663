#pragma once

#include "topologies/cni/extension/profile.h"

namespace overlane::calico {

/// gardener-extension-networking-calico.
extern const cni::Profile kCalico;

}  // namespace overlane::calico
