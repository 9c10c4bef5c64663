#include "dataplane/adjacency/ipv6_finder.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>

#include "dataplane/fib/prefix_table.h"

namespace overlane::adjacency {
namespace {

constexpr int kHalf = 64;

/// Returns the number of places of a table: a power of two, of which at least a third stays free.
std::size_t places_for(std::size_t entries) {
  return std::bit_ceil(entries + entries / 2 + 2);
}

unsigned shift_for(std::size_t places) {
  return static_cast<unsigned>(kHalf - std::countr_zero(places));
}

/// Returns the upper half of the last address.
std::uint64_t last_high(const IpPrefix& prefix) {
  const int free = kHalf - prefix.bits();
  return prefix.network().high |
         (free == kHalf ? ~std::uint64_t{0} : (std::uint64_t{1} << free) - 1);
}

}  // namespace

Ipv6Finder::Ipv6Finder(std::span<const AddressClass> classes) {
  add_short(classes);
  add_subnets(classes);
  add_slices(classes);
}

void Ipv6Finder::add_short(std::span<const AddressClass> classes) {
  fib::PrefixTable<std::uint32_t> table;
  std::set<std::uint64_t> begins{0};
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const IpPrefix& prefix = classes[i].prefix;
    if (prefix.is_ipv4() || prefix.bits() >= kHalf) continue;
    table.set(prefix, i);
    begins.insert(prefix.network().high);
    if (last_high(prefix) != ~std::uint64_t{0}) begins.insert(last_high(prefix) + 1);
  }
  for (const std::uint64_t begin : begins) {
    IpAddress first;
    first.high = begin;
    first.low = 0;
    const auto* entry = table.longest_match(first);
    short_begins_.push_back(begin);
    short_found_.push_back(entry == nullptr ? 0 : entry->second);
  }
}

std::uint32_t Ipv6Finder::among_short(std::uint64_t high) const {
  const auto behind = std::ranges::upper_bound(short_begins_, high);
  return short_found_[static_cast<std::size_t>(behind - short_begins_.begin()) - 1];
}

Ipv6Finder::Subnet& Ipv6Finder::subnet_of(std::uint64_t high) {
  std::size_t at = place(high * kHashFactor, subnet_shift_);
  while (subnets_[at].high != high && subnets_[at].high != 0)
    at = (at + 1) % subnets_.size();
  return subnets_[at];
}

void Ipv6Finder::add_subnets(std::span<const AddressClass> classes) {
  std::set<std::uint64_t> highs;
  for (const AddressClass& one : classes) {
    if (one.prefix.is_ipv4() || one.prefix.bits() < kHalf) continue;
    if (one.prefix.network().high != 0) highs.insert(one.prefix.network().high);
  }
  subnets_.resize(places_for(highs.size()));
  subnet_shift_ = shift_for(subnets_.size());
  for (const std::uint64_t high : highs) {
    Subnet& subnet = subnet_of(high);
    subnet.high = high;
    subnet.found = among_short(high);
  }
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const IpPrefix& prefix = classes[i].prefix;
    if (prefix.is_ipv4() || prefix.bits() != kHalf || prefix.network().high == 0) continue;
    subnet_of(prefix.network().high).found = i;
  }
}

void Ipv6Finder::add_slices(std::span<const AddressClass> classes) {
  std::map<std::uint64_t, std::set<std::uint64_t, std::greater<>>> masks;
  std::vector<Slice> slices;
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const IpPrefix& prefix = classes[i].prefix;
    const IpAddress network = prefix.network();
    if (prefix.is_ipv4() || prefix.bits() <= kHalf || network.high == 0) continue;
    const std::uint64_t mask = ~std::uint64_t{0} << (2 * kHalf - prefix.bits());
    masks[network.high].insert(mask);
    slices.push_back({.high = network.high, .low = network.low, .mask = mask, .found = i});
  }
  masks_.push_back(0);
  for (const auto& [high, longest_first] : masks) {
    subnet_of(high).masks = static_cast<std::uint32_t>(masks_.size());
    masks_.insert(masks_.end(), longest_first.begin(), longest_first.end());
    masks_.push_back(0);
  }
  const std::size_t places = places_for(slices.size());
  slice_shift_ = shift_for(places);
  tag_shift_ = slice_shift_ - 8;
  // In the worst case all slices follow the last place.
  tags_.resize(places + slices.size() + 1);
  slices_.resize(tags_.size());
  for (const Slice& slice : slices) {
    const std::uint64_t hash = hash_of(slice.high, slice.low, slice.mask);
    std::size_t at = place(hash, slice_shift_);
    while (tags_[at] != 0)
      ++at;
    tags_[at] = tag_of(hash);
    slices_[at] = slice;
  }
}

std::uint32_t Ipv6Finder::out_of_line(std::uint64_t high, std::uint64_t low) const {
  return (*this)(high, low);
}

}  // namespace overlane::adjacency
