#pragma once

namespace overlane::core {

/// Prefetches a cache line that will be read soon. Functions that only prefetch must be
/// always_inline like this one: g++ 12 drops calls of functions that do nothing else.
[[gnu::always_inline]] inline void prefetch(const void* line) {
  __builtin_prefetch(line);
}

/// Prefetches a cache line that will be written, also from another core's cache.
[[gnu::always_inline]] inline void prefetch_to_write(const void* line) {
  __builtin_prefetch(line, 1);
}

}  // namespace overlane::core
