#pragma once

#include <string_view>

#include "dataplane/forward/outcome.h"

namespace overlane::forward {

/// "pod", "uplink" or "host".
std::string_view to_string(Ingress ingress);
std::string_view to_string(Egress egress);

}  // namespace overlane::forward
