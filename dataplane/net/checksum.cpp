#include "dataplane/net/checksum.h"

#include <cstring>

namespace overlane {
namespace {

std::uint64_t sum_in_host_order(std::span<const std::uint8_t> bytes) {
  WideSum sum;
  if (bytes.size() >= 8) {
    sum.add(bytes);
    return sum.value();
  }
  std::uint64_t word = 0;
  if (!bytes.empty()) std::memcpy(&word, bytes.data(), bytes.size());
  return word;
}

std::uint16_t complement(std::uint64_t sum) {
  return static_cast<std::uint16_t>(~fold(sum));
}

std::uint64_t pseudo_sum(const IpAddress& source, const IpAddress& destination,
                         std::uint8_t protocol, std::size_t segment_bytes) {
  std::uint64_t sum = protocol + segment_bytes;
  // The IPv4-mapped form adds 0xffff, which is zero in one's complement, so the sum is the same for
  // an IPv4 header.
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
