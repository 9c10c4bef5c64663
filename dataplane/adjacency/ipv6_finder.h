#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

/// 2^64 over the golden ratio (Knuth, "The Art of Computer Programming" 3, 6.4: Fibonacci hashing):
/// of a product with it, the upper bits are the hash.
inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;

/// Hash of an IPv6 address, given by its halves. It costs one multiplication, as each lookup
/// computes it. Subnets of a cluster differ in the lower bits of `high`, hosts in those of `low`.
constexpr std::uint64_t ipv6_hash(std::uint64_t high, std::uint64_t low) {
  return (low ^ std::rotl(high, 28)) * kHashFactor;
}

/// Longest-prefix match over the IPv6 classes. Exact matches do it: the upper half of an address is
/// looked up in a hash table, which knows all /64 in which a prefix of 64 bits or more begins, and,
/// where there are longer ones inside, one lookup follows for each of their lengths, longest first.
/// So a pod range of /64 takes one lookup, a local pod one or two, a pod range of /80 or /96 that
/// shares its /64 with others two or three. Other addresses take a binary search among the short
/// prefixes.
///
/// Addresses are given by their halves in host byte order, the upper one not 0: addresses with 64
/// zero bits in front (unspecified, loopback, IPv4-mapped) have no class here.
class Ipv6Finder {
 public:
  /// Copies what it needs of the classes, fewer than 2^24; those of IPv4 do not count.
  explicit Ipv6Finder(std::span<const AddressClass> classes);

  /// The position of the class of an address.
  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t high, std::uint64_t low) const {
    const Subnet* subnet = &subnets_[place(high * kHashFactor, subnet_shift_)];
    while (subnet->high != high) {
      if (subnet->high == 0) return among_short(high);
      if (++subnet == subnets_.data() + subnets_.size()) subnet = subnets_.data();
    }
    for (const std::uint64_t* mask = &masks_[subnet->masks]; *mask != 0; ++mask) {
      const std::uint32_t found = in_slices(high, low & *mask, *mask);
      if (found != kNone) return found;
    }
    return subnet->found;
  }
  /// Finds the same class, faster if the address is likely to have a class of its own.
  [[gnu::always_inline]] std::uint32_t host(std::uint64_t high, std::uint64_t low) const {
    const std::uint32_t found = in_slices(high, low, kHost);
    return found != kNone ? found : out_of_line(high, low);
  }

 private:
  static constexpr std::uint64_t kHost = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A /64 that has prefixes of its own; free when `high` is 0.
  struct Subnet {
    std::uint64_t high = 0;
    std::uint32_t found = 0;  ///< The class of what no longer prefix holds.
    std::uint32_t masks = 0;  ///< Position in `masks_` of the longer ones, up to a 0.
  };
  /// A prefix of more than 64 bits; none where its tag is 0.
  struct alignas(32) Slice {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint64_t mask = 0;  ///< Mask of the lower half.
    std::uint32_t found = 0;
  };

  static std::size_t place(std::uint64_t hash, unsigned shift) { return hash >> shift; }
  static std::uint64_t hash_of(std::uint64_t high, std::uint64_t low, std::uint64_t mask) {
    return ipv6_hash(high, low + mask);
  }
  /// Some more bits of a hash than its place, and never 0.
  std::uint8_t tag_of(std::uint64_t hash) const {
    return static_cast<std::uint8_t>(hash >> tag_shift_ | 1u);
  }

  /// The class of exactly that prefix, or kNone. What is not there is mostly seen by the tags
  /// alone, which are small, and a slice is read without waiting for its tag.
  [[gnu::always_inline]] std::uint32_t in_slices(std::uint64_t high, std::uint64_t low,
                                                 std::uint64_t mask) const {
    const std::uint64_t hash = hash_of(high, low, mask);
    const std::uint8_t tag = tag_of(hash);
    for (std::size_t at = place(hash, slice_shift_); tags_[at] != 0; ++at) {
      if (tags_[at] != tag) continue;
      const Slice& slice = slices_[at];
      if (slice.high == high && slice.low == low && slice.mask == mask) return slice.found;
    }
    return kNone;
  }

  std::uint32_t out_of_line(std::uint64_t high, std::uint64_t low) const;
  std::uint32_t among_short(std::uint64_t high) const;
  void add_short(std::span<const AddressClass> classes);
  void add_subnets(std::span<const AddressClass> classes);
  void add_slices(std::span<const AddressClass> classes);
  Subnet& subnet_of(std::uint64_t high);

  std::vector<Subnet> subnets_;
  /// By hash. More than places, so that a search runs on to a free one and never round.
  std::vector<std::uint8_t> tags_;
  std::vector<Slice> slices_;
  /// Masks of the prefixes longer than /64, grouped by /64: each mask once, longest first, then a
  /// 0.
  std::vector<std::uint64_t> masks_;
  unsigned subnet_shift_ = 0;
  unsigned slice_shift_ = 0;
  unsigned tag_shift_ = 0;
  /// Upper halves at which another class begins, of prefixes below 64 bits, sorted; and the class.
  std::vector<std::uint64_t> short_begins_;
  std::vector<std::uint32_t> short_found_;
};

}  // namespace overlane::adjacency
