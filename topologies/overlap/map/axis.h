#pragma once

#include <string>
#include <vector>

#include "dataplane/net/prefix.h"
#include "topologies/ranges/address_number.h"

// The horizontal axis of an address map. Addresses of one family span 2^32 or 2^128, of which a
// landscape uses little, and its ranges differ in size by factors of thousands. The axis therefore
// leaves out what no range holds, and gives a range a width that grows with its number of address
// bits. Only ranges that the axis was made of, or that lie in one of these, have a place on it.
namespace overlane::overlap {

/// A horizontal axis of the addresses that some ranges of one family hold. What no range holds is
/// cut out. It is not to scale: between two ends of ranges the width grows with the square of the
/// number of address bits, so that a /24 is visible next to a /11. Lengths are in pixels.
class MapAxis {
 public:
  struct Span {
    int x = 0;
    int width = 0;
  };
  /// Addresses without a gap.
  struct Stretch {
    IpAddress first;
    IpAddress last;
    Span span;

    /// The CIDR if the stretch is one, else its first and last address.
    std::string label() const;
  };
  static constexpr int kMin = 4;   ///< Minimum width of a segment.
  static constexpr int kGap = 18;  ///< Between stretches.

  /// An axis of about `width`; it is wider if the segments need that for their minimum width.
  MapAxis(std::vector<IpPrefix> ranges, int width);

  const std::vector<Stretch>& stretches() const { return stretches_; }
  int width() const;
  /// The position of a range, which must be one of the axis or lie in one of these.
  Span of(const IpPrefix& range) const;

 private:
  struct Segment {
    ranges::AddressNumber first = 0;
    ranges::AddressNumber last = 0;
    Span span;
  };
  void cut(const std::vector<IpPrefix>& ranges);
  void lay_out(int width);
  static int x_of(const Segment& segment, ranges::AddressNumber address);

  std::vector<Segment> segments_;
  std::vector<Stretch> stretches_;
};

}  // namespace overlane::overlap
