#pragma once

#include <cstdint>

#include "sim/transport/segment.h"

namespace overlane::run {

/// Payload of the largest socket buffer that GSO hands down and GRO puts together
/// (GSO_LEGACY_MAX_SIZE and gro_max_size, 65,536, less the headers).
inline constexpr std::uint32_t kMaxBufferPayload = 65'536 - 100;

/// Consecutive segments of a stream that the kernel handles as one socket buffer: all but the last
/// are of the same length, and only payload tells them apart.
class SegmentTrain {
 public:
  /// Where it is not `enabled`, every segment is a buffer of its own.
  explicit SegmentTrain(bool enabled) : enabled_(enabled) {}

  /// Whether `segment` goes into the buffer of those before; otherwise it begins one. A buffer
  /// takes more as long as it holds segments of `full` bytes only.
  bool takes(const transport::Segment& segment, std::uint32_t full) {
    const bool joins = open_ && segment.sequence == next_ && segment.length > 0 &&
                       segment.length <= full && bytes_ + segment.length <= kMaxBufferPayload &&
                       is_plain(segment);
    bytes_ = (joins ? bytes_ : 0) + segment.length;
    next_ = segment.sequence + segment.length;
    open_ = enabled_ && segment.length == full && is_plain(segment);
    return joins;
  }
  /// Whether a segment of `length` bytes could go into the buffer of the last.
  bool has_room(std::uint32_t length) const {
    return open_ && bytes_ + length <= kMaxBufferPayload;
  }

 private:
  static bool is_plain(const transport::Segment& segment) { return !segment.syn && !segment.fin; }

  bool enabled_;
  bool open_ = false;
  std::int64_t next_ = 0;
  std::uint32_t bytes_ = 0;
};

}  // namespace overlane::run
