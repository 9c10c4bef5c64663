#include "dataplane/net/checksum.h"

#include <bit>

#include "dataplane/net/byte_order.h"

namespace overlane {
namespace {

/// The one's-complement sum in host byte order, folded to one word: sums of words of any width,
/// with every carry added again, fold to the same (RFC 1071, section 2).
std::uint64_t sum_in_host_order(std::span<const std::uint8_t> bytes) {
  __extension__ using Wide = unsigned __int128;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  Wide sum = 0;
  for (; left >= 8; left -= 8, at += 8)
    sum += load<std::uint64_t>(at);
  if ((left & 4) != 0) {
    sum += load<std::uint32_t>(at);
    at += 4;
  }
  if ((left & 2) != 0) {
    sum += load<std::uint16_t>(at);
    at += 2;
  }
  if ((left & 1) != 0) sum += network_order(static_cast<std::uint16_t>(*at << 8));
  const auto low = static_cast<std::uint64_t>(sum);
  const std::uint64_t folded = low + static_cast<std::uint64_t>(sum >> 64);
  return folded + (folded < low ? 1 : 0);
}

/// A word and its halves swapped have the sum of both halves, with the carry, in the upper one.
std::uint16_t fold(std::uint64_t sum) {
  const auto half = static_cast<std::uint32_t>((sum + std::rotl(sum, 32)) >> 32);
  return static_cast<std::uint16_t>((half + std::rotl(half, 16)) >> 16);
}

std::uint16_t complement(std::uint64_t sum) {
  return static_cast<std::uint16_t>(~fold(sum));
}

std::uint64_t pseudo_sum(const IpAddress& source, const IpAddress& destination,
                         std::uint8_t protocol, std::size_t segment_bytes) {
  std::uint64_t sum = protocol + segment_bytes;
  // Of either family, and of an IPv6 header with an IPv4-mapped address: the 0xffff of that form is
  // zero in one's complement.
  for (const std::uint64_t half : {source.high, source.low, destination.high, destination.low})
    sum += (half >> 32) + (half & 0xffffffff);
  return sum;
}

}  // namespace

std::uint16_t ones_complement_sum(std::span<const std::uint8_t> bytes) {
  return network_order(fold(sum_in_host_order(bytes)));
}

std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint16_t>(~ones_complement_sum(bytes));
}

std::uint16_t transport_checksum(const IpAddress& source, const IpAddress& destination,
                                 std::uint8_t protocol, std::span<const std::uint8_t> segment) {
  return complement(ones_complement_sum(segment) +
                    pseudo_sum(source, destination, protocol, segment.size()));
}

std::uint16_t pseudo_header_sum(const IpAddress& source, const IpAddress& destination,
                                std::uint8_t protocol, std::size_t segment_bytes) {
  return fold(pseudo_sum(source, destination, protocol, segment_bytes));
}

std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t from, std::uint16_t to) {
  const auto inverted = [](std::uint16_t word) { return std::uint64_t{word} ^ 0xffff; };
  return complement(inverted(checksum) + inverted(from) + to);
}

}  // namespace overlane
