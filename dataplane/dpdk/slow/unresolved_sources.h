#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dataplane/net/address.h"

namespace overlane::dpdk {

/// Frames of pods whose link-layer address is not resolved yet: only then can spoofed ones be told
/// apart.
class UnresolvedSources {
 public:
  using Frames = std::vector<std::vector<std::uint8_t>>;

  /// How many wait for one address.
  static constexpr std::size_t kMaxOfOne = 64;

  /// Keeps a frame; false when too many from that source wait.
  bool keep(IpAddress source, std::span<const std::uint8_t> frame);

  /// Gives up the frames of every source of which `is_decided(source)`, in the order they came:
  /// `take(source, frame)`, which may keep them again.
  template <typename IsDecided, typename Take>
  void release(IsDecided is_decided, Take take) {
    for (const IpAddress source : sources()) {
      if (!is_decided(source)) continue;
      for (const auto& frame : remove(source))
        take(source, std::span<const std::uint8_t>(frame));
    }
  }

  /// How many frames wait.
  std::size_t size() const { return size_; }

 private:
  std::vector<IpAddress> sources() const;
  Frames remove(IpAddress source);

  std::map<IpAddress, Frames> frames_;
  std::size_t size_ = 0;
};

}  // namespace overlane::dpdk
