#pragma once

namespace overlane::core {

/// Has the processor fetch a cache line that will be read soon. What calls it is
/// always_inline, too: g++ 12 drops calls of functions that do nothing else.
[[gnu::always_inline]] inline void prefetch(const void* line) {
  __builtin_prefetch(line);
}

/// The same of one that will be written, which another core may have.
[[gnu::always_inline]] inline void prefetch_to_write(const void* line) {
  __builtin_prefetch(line, 1);
}

}  // namespace overlane::core
