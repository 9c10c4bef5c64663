#include "topologies/overlap/map/axis.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

#include <fmt/format.h>

#include "topologies/ranges/sorting.h"

namespace overlane::overlap {
namespace {

using ranges::AddressNumber;
using ranges::first_of;
using ranges::last_of;

int bits_of(AddressNumber number) {
  const auto high = static_cast<std::uint64_t>(number >> 64);
  const auto low = static_cast<std::uint64_t>(number);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

}  // namespace

std::string MapAxis::Stretch::label() const {
  for (unsigned length = 0; length <= (first.is_ipv4() ? 32 : 128); ++length) {
    const auto cidr = IpPrefix::containing(first, static_cast<std::uint8_t>(length));
    if (cidr.network() == first && ranges::last_of(cidr) == ranges::number_of(last))
      return cidr.to_string();
  }
  return fmt::format("{} – {}", first.to_string(), last.to_string());
}

MapAxis::MapAxis(std::vector<IpPrefix> ranges, int width) {
  std::ranges::sort(ranges);
  cut(ranges);
  lay_out(width);
}

/// Cuts the axis at each end of a range.
void MapAxis::cut(const std::vector<IpPrefix>& ranges) {
  std::vector<AddressNumber> starts;
  for (const IpPrefix& range : ranges) {
    starts.push_back(first_of(range));
    starts.push_back(last_of(range) + 1);  // Wraps to 0 after the last address of all.
  }
  ranges::sort_unique(starts);
  const IpPrefix* outer = nullptr;
  auto start = starts.begin();
  for (const IpPrefix& range : ranges) {
    if (outer != nullptr && outer->contains(range)) continue;
    outer = &range;
    start = std::lower_bound(start, starts.end(), first_of(range));
    for (; start != starts.end() && *start <= last_of(range); ++start) {
      const auto next = start + 1;
      const bool goes_on = next != starts.end() && *next <= last_of(range);
      segments_.push_back({*start, goes_on ? *next - 1 : last_of(range), {}});
    }
  }
}

void MapAxis::lay_out(int width) {
  const auto weight = [](const Segment& segment) {
    const int bits = bits_of(segment.last - segment.first);
    return bits * bits;
  };
  std::int64_t all = 1;
  for (const Segment& segment : segments_)
    all += weight(segment);
  int x = 0;
  for (Segment& segment : segments_) {
    const bool follows =
        !stretches_.empty() && ranges::number_of(stretches_.back().last) + 1 == segment.first;
    if (!follows && !stretches_.empty()) x += kGap;
    segment.span = {x, std::max(kMin, static_cast<int>(weight(segment) * width / all))};
    x += segment.span.width;
    if (!follows)
      stretches_.push_back(
          {.first = ranges::address_of(segment.first), .span = {segment.span.x, 0}});
    Stretch& stretch = stretches_.back();
    stretch.last = ranges::address_of(segment.last);
    stretch.span.width = x - stretch.span.x;
  }
}

int MapAxis::width() const {
  return stretches_.empty() ? 0 : stretches_.back().span.x + stretches_.back().span.width;
}

int MapAxis::x_of(const Segment& segment, AddressNumber address) {
  // Quotients of addresses do not need their last bits, and products must not lose their first.
  const int shift = std::max(0, bits_of(segment.last - segment.first) - 40);
  const auto size = static_cast<std::uint64_t>((segment.last - segment.first) >> shift) + 1;
  const auto offset = static_cast<std::uint64_t>((address - segment.first) >> shift);
  return segment.span.x +
         static_cast<int>(offset * static_cast<std::uint64_t>(segment.span.width) / size);
}

MapAxis::Span MapAxis::of(const IpPrefix& range) const {
  const auto segment_of = [&](AddressNumber address) -> const Segment& {
    const auto after = std::ranges::upper_bound(segments_, address, {}, &Segment::first);
    assert(after != segments_.begin() && address <= std::prev(after)->last);
    return *std::prev(after);
  };
  const int x = x_of(segment_of(first_of(range)), first_of(range));
  const Segment& last = segment_of(last_of(range));
  const int end =
      last.last == last_of(range) ? last.span.x + last.span.width : x_of(last, last_of(range) + 1);
  return {x, std::max(1, end - x)};
}

}  // namespace overlane::overlap
