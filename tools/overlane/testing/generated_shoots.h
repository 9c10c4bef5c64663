#pragma once

#include <cstdint>
#include <string>

#include "topologies/derive/derive.h"
#include "topologies/manifest/testing/shoot_builder.h"

namespace overlane::agreement {

/// A shoot and what its landscape's operator says about it.
struct GeneratedShoot {
  manifest::testing::ShootText text;
  derive::DeriveOptions options;
};

/// A shoot of the space that the parts below span: every provider, network type, encapsulation,
/// number of zones, stage, MTU, IPAM, node count and OpenStack network (OVN or not). The same seed
/// gives the same shoot.
GeneratedShoot generate_shoot(std::uint64_t seed);

/// The manifest and the settings, for messages of tests.
std::string describe(std::uint64_t seed, const GeneratedShoot& shoot);

}  // namespace overlane::agreement
