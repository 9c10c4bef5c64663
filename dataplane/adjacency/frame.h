#pragma once

#include <cstdint>

namespace overlane::adjacency {

/// The most that a push() asks for in front of a packet: IPv6, UDP, Geneve and Ethernet headers.
inline constexpr std::uint32_t kPushRoom = 70;
/// The same in front of a frame: the link header that leaves takes the place of that which came.
inline constexpr std::uint32_t kHeadroom = kPushRoom;

/// An Ethernet frame in a buffer that has kHeadroom bytes in front of it.
struct Frame {
  std::uint8_t* at;
  std::uint32_t bytes;
};

}  // namespace overlane::adjacency
