#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "dataplane/adjacency/address_class.h"
#include "dataplane/net/byte_order.h"

namespace overlane::adjacency {

/// Longest-prefix match over the IPv6 classes. Exact matches do it: the upper half of an address is
/// looked up in a hash table, which knows all /64 in which a prefix of 64 bits or more begins, and,
/// where there are longer ones inside, one lookup follows for each of their lengths, longest first.
/// So a pod range of /64 takes one lookup, a local pod two, a pod range of /80 or /96 that shares
/// its /64 with others one or two. Other addresses take a binary search among the short prefixes.
class Ipv6Finder {
 public:
  /// Copies what it needs of the classes; those of IPv4 do not count.
  explicit Ipv6Finder(std::span<const AddressClass> classes);

  /// The position of the class of an address given by its halves in host byte order, the upper one
  /// not 0: addresses with 64 zero bits in front (unspecified, loopback, IPv4-mapped) have none
  /// here.
  [[gnu::always_inline]] std::uint32_t operator()(std::uint64_t high, std::uint64_t low) const {
    const Subnet* subnet = &subnets_[place(high, subnet_shift_)];
    while (subnet->high != high) {
      if (subnet->high == 0) return among_short(high);
      if (++subnet == subnets_.data() + subnets_.size()) subnet = subnets_.data();
    }
    return subnet->lengths == 0 ? subnet->found : inside(*subnet, low);
  }

 private:
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;

  /// A /64 that has prefixes of its own; free when `high` is 0.
  struct Subnet {
    std::uint64_t high = 0;
    std::uint32_t found = 0;    ///< The class of what no longer prefix holds.
    std::uint32_t lengths = 0;  ///< Position in `lengths_`; 0 when there are no longer prefixes.
  };
  /// A prefix of more than 64 bits; free when `high` is 0.
  struct alignas(32) Slice {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::uint32_t free_bits = 0;  ///< 128 less its length.
    std::uint32_t found = 0;
  };

  static std::size_t place(std::uint64_t key, unsigned shift) { return key * kFactor >> shift; }
  static std::uint64_t key_of(std::uint64_t high, std::uint64_t low, std::uint32_t free_bits) {
    return std::rotl(high * kFactor, 32) ^ (low + free_bits);
  }
  std::uint32_t among_short(std::uint64_t high) const;
  void add_subnets(std::span<const AddressClass> classes);
  void add_slices(std::span<const AddressClass> classes);
  void add_short(std::span<const AddressClass> classes);
  Subnet& subnet_of(std::uint64_t high);

  [[gnu::always_inline]] std::uint32_t inside(const Subnet& subnet, std::uint64_t low) const {
    for (std::uint64_t left = lengths_[subnet.lengths]; left != 0; left &= left - 1) {
      const auto free_bits = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint64_t network = low & ~std::uint64_t{0} << free_bits;
      const Slice* slice = &slices_[place(key_of(subnet.high, network, free_bits), slice_shift_)];
      while (slice->high != 0) {
        if (slice->high == subnet.high && slice->low == network && slice->free_bits == free_bits)
          return slice->found;
        if (++slice == slices_.data() + slices_.size()) slice = slices_.data();
      }
    }
    return subnet.found;
  }

  std::vector<Subnet> subnets_;
  std::vector<Slice> slices_;
  /// Which lengths of more than 64 bits a /64 has: bit n for prefixes with n free bits.
  std::vector<std::uint64_t> lengths_;
  unsigned subnet_shift_ = 0;
  unsigned slice_shift_ = 0;
  /// Upper halves at which another class begins, of prefixes below 64 bits, sorted; and the class.
  std::vector<std::uint64_t> short_begins_;
  std::vector<std::uint32_t> short_found_;
};

}  // namespace overlane::adjacency
