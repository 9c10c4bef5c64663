#pragma once

#include <string>

#include "scenarios/migration/inputs/load.h"

namespace overlane::migration::testing {

/// A Shoot of calico whose nodes are in two zones.
struct ShootText {
  std::string provider = "aws";  ///< aws or gcp.
  bool overlay = true;

  std::string text() const;
};

/// Reads the manifest; throws what is wrong with it.
Loaded load_text(const std::string& manifest, Target to, std::uint32_t nodes,
                 const derive::DeriveOptions& derive = {});

/// The AWS shoot in IPIP that is switched to routed pods, or the other way round.
Loaded aws_shoot(Target to, std::uint32_t nodes = 6, const derive::DeriveOptions& derive = {});

}  // namespace overlane::migration::testing
