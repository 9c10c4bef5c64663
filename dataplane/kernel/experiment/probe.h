#pragma once

#include <vector>

#include "dataplane/kernel/experiment/place.h"

namespace overlane::kernel {

/// Tries in fresh namespaces what this kernel can make: every kind of device and every kind of
/// packet filter that set_up may use. Needs root.
std::vector<Ability> probe();

}  // namespace overlane::kernel
