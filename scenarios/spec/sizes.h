#pragma once

#include <optional>

#include "sim/random/distribution.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {

/// Bytes of one transfer: about a quarter of an hour at 10 Gbit/s.
inline constexpr std::int64_t kMaxTransfer = 1'000'000'000'000;

/// The distribution of transfer sizes; nothing if absent or invalid.
std::optional<Distribution> decode_sizes(document::Fields fields);

}  // namespace overlane::spec
