#pragma once

#include <string>

#include "scenarios/migration/inputs/load.h"

namespace overlane::migration::testing {

/// A shoot with nodes in two zones, with the CNI's default overlay if it is switched to routed
/// pods, else routed. `provider`: aws or gcp. `overlay`: the block of the NetworkConfig if that is
/// another one; `pods`: the pod range. Throws what is wrong.
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
