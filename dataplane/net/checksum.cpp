#include "dataplane/net/checksum.h"

#include <cassert>

#include "dataplane/net/byte_order.h"

namespace overlane {
namespace {

std::uint64_t sum_of_words(std::span<const std::uint8_t> bytes) {
  std::uint64_t sum = 0;
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2)
    sum += load_be16(bytes.data() + at);
  if (at < bytes.size()) sum += std::uint64_t{bytes[at]} << 8;
  return sum;
}

std::uint16_t complement(std::uint64_t sum) {
  while (sum > 0xffff)
    sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace

std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
  return complement(sum_of_words(bytes));
}

std::uint16_t transport_checksum(const IpAddress& source, const IpAddress& destination,
                                 std::uint8_t protocol, std::span<const std::uint8_t> segment) {
  assert(source.is_ipv4() == destination.is_ipv4());
  std::uint64_t sum = sum_of_words(segment);
  // Of either family: the 0xffff of an IPv4 address's mapped form is zero in one's complement.
  for (const std::uint64_t half : {source.high, source.low, destination.high, destination.low})
    sum += (half >> 32) + (half & 0xffffffff);
  return complement(sum + protocol + segment.size());
}

std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t from, std::uint16_t to) {
  const auto inverted = [](std::uint16_t word) { return std::uint64_t{word} ^ 0xffff; };
  return complement(inverted(checksum) + inverted(from) + to);
}

}  // namespace overlane
