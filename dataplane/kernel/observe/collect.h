#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>

namespace overlane::kernel {

/// How long what is missing is waited for. The timers of a node (ipfrag_time) take 1 s or more.
inline constexpr std::chrono::milliseconds kPatience{500};

/// Waits for packets at the sockets `fds`. `take` takes what waits there, and says how many packets
/// there are in all. Ends when nothing more comes for `quiet` after the `expected`, or when less
/// than those came for so long that they will not. What comes that late beyond the expected, for
/// the machine was busy elsewhere, is left at the sockets: a timer sent it.
void collect(std::span<const int> fds, std::size_t expected, std::chrono::milliseconds quiet,
             const std::function<std::size_t()>& take);

}  // namespace overlane::kernel
