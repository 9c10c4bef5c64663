#pragma once

#include <string>

#include "scenarios/migration/inputs/load.h"

namespace overlane::migration::testing {

/// Returns the switch to `to` of a shoot with nodes in two zones. If the target is routed pods, the
/// shoot starts with the CNI's default overlay, otherwise with routed pods. `provider` is "aws" or
/// "gcp", `overlay` the overlay block of the NetworkConfig if it is not the default, and `pods` the
/// pod range. Throws on errors.
Loaded shoot_on(const std::string& provider, Target to, std::uint32_t nodes = 6,
                const derive::DeriveOptions& derive = {}, const std::string& cni = "calico",
                const std::string& overlay = "", const std::string& pods = "100.96.0.0/11");

inline Loaded aws_shoot(Target to, std::uint32_t nodes = 6,
                        const derive::DeriveOptions& derive = {}) {
  return shoot_on("aws", to, nodes, derive);
}
inline Loaded cilium_shoot(Target to, std::uint32_t nodes = 6) {
  return shoot_on("aws", to, nodes, {}, "cilium");
}

}  // namespace overlane::migration::testing
