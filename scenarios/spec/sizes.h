#pragma once

#include <optional>

#include "sim/random/distribution.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Of one transfer: at 10 Gbit/s, a quarter of an hour.
inline constexpr std::int64_t kMostTransfer = 1'000'000'000'000;

/// How the sizes of transfers are distributed; absent when not given or wrong.
std::optional<Distribution> decode_sizes(document::Fields fields);

}  // namespace overlane::spec
