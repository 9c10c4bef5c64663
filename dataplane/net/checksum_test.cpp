#include "dataplane/net/checksum.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/testing/checksum_oracle.h"

namespace overlane {
namespace checksum_test {

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(random());
  return bytes;
}

IpAddress ipv6_at(const std::uint8_t* bytes) {
  Ipv6Address address;
  std::copy(bytes, bytes + 16, address.bytes.begin());
  return address;
}

TEST(InternetChecksum, OfTheExampleInRfc1071) {
  const std::vector<std::uint8_t> bytes{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(internet_checksum(bytes), static_cast<std::uint16_t>(~0xddf2));
}

TEST(InternetChecksum, EqualsTheSumBitByBit) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 300; ++size) {
    const auto bytes = random_bytes(random, size);
    EXPECT_EQ(internet_checksum(bytes), testing::checksum_by_bits(bytes)) << size;
  }
  const std::vector<std::uint8_t> ones(1499, 0xff);
  EXPECT_EQ(internet_checksum(ones), testing::checksum_by_bits(ones));
}

TEST(WideSum, OfAnyPartFoldsToTheSumOfItsWords) {
  std::mt19937_64 random(4);
  const auto bytes = random_bytes(random, 80);
  const auto part = [&](std::size_t at, std::size_t size) {
    return std::span(bytes).subspan(at, size);
  };
  for (std::size_t size = 0; size <= 64; ++size) {
    WideSum sum;
    sum.add(part(16, size));
    EXPECT_EQ(network_order(fold(sum.value())), ones_complement_sum(part(16, size))) << size;
  }
  WideSum sum;
  sum.add<38>(bytes.data());
  sum.add<20>(bytes.data() + 38);
  sum.add<2>(bytes.data() + 58);
  EXPECT_EQ(network_order(fold(sum.value())), ones_complement_sum(part(0, 60)));
}

TEST(WideSum, IsZeroOverARightChecksumAlone) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    auto bytes = random_bytes(random, 20);
    store_be16(bytes.data() + 10, 0);
    store_be16(bytes.data() + 10, internet_checksum(bytes));
    WideSum right;
    right.add<20>(bytes.data());
    EXPECT_TRUE(right.is_zero());
    ++bytes[random() % 20];
    WideSum wrong;
    wrong.add<20>(bytes.data());
    EXPECT_FALSE(wrong.is_zero());
  }
}

TEST(InternetChecksum, UpdateAfterOneWordEqualsAFreshSum) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    auto bytes = random_bytes(random, 20);
    const std::uint16_t before = internet_checksum(bytes);
    const std::size_t at = 2 * (random() % 10);
    const std::uint16_t from = load_be16(bytes.data() + at);
    const auto to = static_cast<std::uint16_t>(i % 3 == 0 ? 0 : random());
    store_be16(bytes.data() + at, to);
    EXPECT_EQ(updated_checksum(before, from, to), internet_checksum(bytes));
  }
}

TEST(TransportChecksum, CoversThePseudoHeader) {
  std::mt19937_64 random(3);
  const auto segment = random_bytes(random, 77);
  const Ipv4Address source{0x64600102};
  const Ipv4Address destination{0x64600203};
  std::vector<std::uint8_t> covered(12);
  store_be32(covered.data(), source.bits);
  store_be32(covered.data() + 4, destination.bits);
  covered[9] = 17;
  store_be16(covered.data() + 10, 77);
  covered.insert(covered.end(), segment.begin(), segment.end());
  EXPECT_EQ(transport_checksum(source, destination, 17, segment),
            testing::checksum_by_bits(covered));
}

TEST(TransportChecksum, CoversThePseudoHeaderOfIpv6) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 200; ++i) {
    const auto segment = random_bytes(random, random() % 200);
    // RFC 8200 8.1: source, destination, 32 bits of length, 24 zero bits, the protocol.
    auto covered = random_bytes(random, 40);
    store_be32(covered.data() + 32, static_cast<std::uint32_t>(segment.size()));
    store_be32(covered.data() + 36, 58);
    const IpAddress source = ipv6_at(covered.data());
    const IpAddress destination = ipv6_at(covered.data() + 16);
    covered.insert(covered.end(), segment.begin(), segment.end());
    EXPECT_EQ(transport_checksum(source, destination, 58, segment),
              testing::checksum_by_bits(covered));
  }
}

TEST(TransportChecksum, CoversAnIpv4MappedAddressInAnIpv6Header) {
  std::mt19937_64 random(5);
  auto covered = random_bytes(random, 60);
  std::fill_n(covered.begin() + 16, 10, std::uint8_t{0});
  store_be16(covered.data() + 26, 0xffff);
  store_be32(covered.data() + 32, 20);
  store_be32(covered.data() + 36, 58);
  const auto segment = std::span(covered).subspan(40);
  EXPECT_EQ(transport_checksum(ipv6_at(covered.data()), ipv6_at(covered.data() + 16), 58, segment),
            testing::checksum_by_bits(covered));
}

TEST(TransportChecksum, OfAnIpv4AddressIgnoresHowItIsHeld) {
  const IpAddress zero = Ipv4Address{0};
  const std::vector<std::uint8_t> zeros(4);
  // 0 + 0 + protocol 17 + length 4.
  EXPECT_EQ(transport_checksum(zero, zero, 17, zeros), static_cast<std::uint16_t>(~21));
}

}  // namespace checksum_test
}  // namespace overlane
