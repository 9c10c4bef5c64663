#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/migration/inputs/neighbours.h"
#include "scenarios/migration/inputs/transition.h"
#include "scenarios/runner/load/failure.h"
#include "scenarios/runner/load/subject.h"

namespace overlane::migration {

/// The dataplane that a shoot is switched to.
enum class Target : std::uint8_t { Routed, Ipip, Vxlan, Geneve, DualStack, SingleStack };

inline constexpr std::array<std::pair<std::string_view, Target>, 6> kTargets{{
    {"routed", Target::Routed},
    {"ipip", Target::Ipip},
    {"vxlan", Target::Vxlan},
    {"geneve", Target::Geneve},
    {"dual-stack", Target::DualStack},
    {"single-stack", Target::SingleStack},
}};
std::string_view to_string(Target target);

/// What is to be switched.
struct LoadRequest {
  std::vector<std::string> paths;  ///< Manifests: files, folders, "-".
  runner::SubjectOptions subject;
  Target to{};
};

struct Loaded {
  Transition transition;
  std::vector<std::uint32_t> zones;  ///< Of each node.
  Neighbours neighbours;
  std::string patch;       ///< Of the shoot's networking.providerConfig, in JSON.
  std::string patch_back;  ///< The same, of a switch back.
  Findings findings;  ///< About the documents, routes beyond the quota and neighbours; no errors.
};

/// Reads the manifests, and compiles the shoot as written and as patched. Refuses what the API
/// refuses, with its rule; with `no-switch` a target that the shoot has already; and with
/// `unsupported-migration` what is not simulated: all but switches of IPv4 pods between cloud
/// routes and IPIP, with BIRD's routes, with calico; and between cloud routes, VXLAN and Geneve
/// with cilium.
runner::Outcome<Loaded> load(const LoadRequest& request);

}  // namespace overlane::migration
