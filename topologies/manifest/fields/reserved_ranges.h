#pragma once

#include <span>

#include "dataplane/net/prefix.h"

namespace overlane::manifest {

/// A range that Gardener reserves for the VPN between a seed and its shoots.
struct ReservedRange {
  IpPrefix range;
  const char* purpose;  ///< What it maps: "the seed's pods".
};

/// gardener/gardener pkg/apis/core/v1beta1/constants/types_constants.go.
std::span<const ReservedRange> reserved_ranges();

}  // namespace overlane::manifest
