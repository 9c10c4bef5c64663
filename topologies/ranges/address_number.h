#pragma once

#include "dataplane/net/prefix.h"

// Addresses as 128-bit numbers, for arithmetic that IpAddress does not have: distances, ends of
// ranges, counts. IPv4 addresses are in the same space, as IpAddress stores them.
namespace overlane::ranges {

/// An address as a number: the 128 bits of IpAddress.
__extension__ using AddressNumber = unsigned __int128;

constexpr AddressNumber number_of(IpAddress address) {
  return AddressNumber{address.high} << 64 | address.low;
}
constexpr IpAddress address_of(AddressNumber number) {
  IpAddress address;
  address.high = static_cast<std::uint64_t>(number >> 64);
  address.low = static_cast<std::uint64_t>(number);
  return address;
}
/// Number of addresses after the first one in a network with a prefix length of `bits` out of 128.
constexpr AddressNumber rest_of(unsigned bits) {
  return bits >= 128 ? 0 : ~AddressNumber{0} >> bits;
}
constexpr AddressNumber first_of(const IpPrefix& range) {
  return number_of(range.network());
}
constexpr AddressNumber last_of(const IpPrefix& range) {
  return first_of(range) | rest_of(range.bits());
}

}  // namespace overlane::ranges
