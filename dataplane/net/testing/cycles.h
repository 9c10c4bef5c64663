#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace overlane::testing {

/// The time stamp counter: constant-rate ticks, not cycles of a core that clocks itself. 0 where
/// there is none.
inline std::uint64_t tsc() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

}  // namespace overlane::testing
