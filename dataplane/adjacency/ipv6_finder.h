#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

/// 2^64 divided by the golden ratio (Knuth, "The Art of Computer Programming" 3, 6.4: Fibonacci
/// hashing). The upper bits of a product with this factor are the hash.
inline constexpr std::uint64_t kHashFactor = 0x9e3779b97f4a7c15;

/// Returns the hash of an IPv6 address. It costs one multiplication, because each lookup computes
/// it. Subnets of a cluster differ in the lower bits of `high`, hosts in the lower bits of `low`.
constexpr std::uint64_t ipv6_hash(std::uint64_t high, std::uint64_t low) {
  return (low ^ std::rotl(high, 28)) * kHashFactor;
}

/// Longest-prefix match over the IPv6 classes, by exact matches in hash tables. The first table is
/// indexed by the upper half of an address. It has every /64 that contains the start of a prefix of
/// 64 bits or more. If longer prefixes are inside the /64, the second table is searched once for
/// each of their lengths, longest first. So a pod range of /64 needs one lookup, a local pod one or
/// two, a pod range of /80 or /96 that shares its /64 with others two or three. All other addresses
/// need a binary search among the short prefixes.
///
/// Addresses are given by their halves in host byte order. The upper half must not be 0: addresses
/// that begin with 64 zero bits (unspecified, loopback, IPv4-mapped) have no class here.
class Ipv6Finder {
 public:
  /// Copies the needed fields of the classes. Requires fewer than 2^24 classes; ignores the IPv4
  /// classes.
  explicit Ipv6Finder(std::span<const AddressClass> classes);

  /// Returns the position of the class of an address.
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
  /// Returns the same class; faster if the address is likely to have a class of its own.
  [[gnu::always_inline]] std::uint32_t host(std::uint64_t high, std::uint64_t low) const {
    const std::uint32_t found = in_slices(high, low, kHost);
    return found != kNone ? found : out_of_line(high, low);
  }

 private:
  static constexpr std::uint64_t kHost = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A /64 that contains prefixes of its own; free if `high` is 0.
  struct Subnet {
    std::uint64_t high = 0;
    std::uint32_t found = 0;  ///< Class of addresses that no longer prefix contains.
    /// Position in `masks_` of the first longer prefix; the list ends with a 0.
    std::uint32_t masks = 0;
  };
  /// A prefix of more than 64 bits; unused if its tag is 0.
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
  /// Returns further bits of a hash, besides its place; never 0.
  std::uint8_t tag_of(std::uint64_t hash) const {
    return static_cast<std::uint8_t>(hash >> tag_shift_ | 1u);
  }

  /// Returns the class of exactly this prefix, or kNone. Misses usually end at the tags, which are
  /// small. The slice is read without waiting for its tag.
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
  /// Tags of the slices, by hash. There are more tags than places, so that a search ends at a free
  /// tag and never wraps around.
  std::vector<std::uint8_t> tags_;
  std::vector<Slice> slices_;
  /// Masks of the prefixes longer than /64, grouped by /64: each mask once, longest first, then a
  /// 0.
  std::vector<std::uint64_t> masks_;
  unsigned subnet_shift_ = 0;
  unsigned slice_shift_ = 0;
  unsigned tag_shift_ = 0;
  /// Upper halves at which the class changes, from prefixes shorter than 64 bits, sorted; and the
  /// classes that begin there.
  std::vector<std::uint64_t> short_begins_;
  std::vector<std::uint32_t> short_found_;
};

}  // namespace overlane::adjacency
