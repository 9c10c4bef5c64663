#pragma once

#include <cstdint>
#include <string>

#include "topologies/derive/derive.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::agreement {

/// A shoot, and the settings of its landscape's operator.
struct GeneratedShoot {
  manifest::testing::ShootText text;
  derive::DeriveOptions options;
};

/// Generates a shoot from all combinations of provider, network type, encapsulation, number of
/// zones, stage, MTU, IPAM, node count and OpenStack network (OVN or not). The same seed gives the
/// same shoot.
GeneratedShoot generate_shoot(std::uint64_t seed);

/// The manifest and the settings as text, for messages of tests.
std::string describe(std::uint64_t seed, const GeneratedShoot& shoot);

}  // namespace overlane::agreement
