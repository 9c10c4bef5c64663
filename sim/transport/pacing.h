#pragma once

#include <cstdint>

#include "dataplane/net/units.h"

namespace overlane::transport {

/// When datagram `number` (from 0) of a constant stream of `rate` (> 0) leaves, after the first
/// one: exact at every number, so that rounding never adds up.
constexpr Picos paced_offset(std::int64_t number, Bytes payload, BitsPerSecond rate) {
  const WideInteger bit_picos = WideInteger{number} * payload.count * 8 * 1'000'000'000'000;
  return {static_cast<std::int64_t>(bit_picos / rate.count)};
}

}  // namespace overlane::transport
