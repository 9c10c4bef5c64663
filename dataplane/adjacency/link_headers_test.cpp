#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "dataplane/adjacency/rewrite_for_tx.h"

namespace overlane::adjacency {

namespace neighbour_headers_test {

constexpr MacAddress kOwn{{2, 0xff}};

IpAddress neighbour(std::uint32_t number) {
  IpAddress address;
  address.high = 0x20010db8'00000000;
  address.low = number;
  return address;
}

MacAddress mac(std::uint32_t number, std::uint8_t change = 0) {
  MacAddress mac{{2, change}};
  store_be32(mac.bytes.data() + 2, number);
  return mac;
}

/// Returns the destination MAC of frames; nothing if it is not known.
std::optional<MacAddress> known(const NeighbourHeaders& headers, const IpAddress& address) {
  const LinkHeader header = headers.header(address.high, address.low);
  if (!header.is_known()) return std::nullopt;
  std::array<std::uint8_t, LinkHeader::kBytes> bytes;
  header.write(bytes.data());
  MacAddress destination;
  std::copy_n(bytes.begin(), destination.bytes.size(), destination.bytes.begin());
  EXPECT_TRUE(std::equal(kOwn.bytes.begin(), kOwn.bytes.end(), bytes.begin() + 6));
  return destination;
}

TEST(NeighbourHeaders, AreThoseThatWereSetLast) {
  NeighbourHeaders headers(true);
  for (std::uint32_t i = 0; i < 1000; ++i)
    headers.set(neighbour(i), mac(i), kOwn);
  headers.set(neighbour(3), mac(3, 1), kOwn);
  headers.forget(neighbour(4));
  headers.forget(neighbour(5000));
  EXPECT_EQ(known(headers, neighbour(2)), mac(2));
  EXPECT_EQ(known(headers, neighbour(3)), mac(3, 1));
  EXPECT_EQ(known(headers, neighbour(4)), std::nullopt);
  EXPECT_EQ(known(headers, neighbour(5000)), std::nullopt);
  headers.set(neighbour(4), mac(4, 1), kOwn);
  EXPECT_EQ(known(headers, neighbour(4)), mac(4, 1));
}

TEST(NeighbourHeaders, OfMoreThanHaveRoomStayUnknown) {
  NeighbourHeaders headers(true);
  for (std::uint32_t i = 0; i <= NeighbourHeaders::kMax; ++i)
    headers.set(neighbour(i), mac(i), kOwn);
  EXPECT_EQ(known(headers, neighbour(NeighbourHeaders::kMax - 1)), mac(NeighbourHeaders::kMax - 1));
  EXPECT_EQ(known(headers, neighbour(NeighbourHeaders::kMax)), std::nullopt);
  headers.set(neighbour(7), mac(7, 1), kOwn);
  EXPECT_EQ(known(headers, neighbour(7)), mac(7, 1)) << "who has a place keeps it";
}

TEST(NeighbourHeaders, WhereNoneAreWantedNothingHappens) {
  NeighbourHeaders headers(false);
  headers.set(neighbour(1), mac(1), kOwn);
  headers.forget(neighbour(1));
}

TEST(NeighbourHeaders, AreSeenWholeWhileTheyAreSet) {
  constexpr std::uint32_t kNeighbours = 20'000;
  NeighbourHeaders headers(true);
  std::uint32_t wrong = 0;
  std::thread reader([&] {
    for (std::uint32_t i = 0; i < kNeighbours;) {
      const auto found = known(headers, neighbour(i));
      if (!found) continue;
      wrong += *found != mac(i);
      ++i;
    }
  });
  for (std::uint32_t i = 0; i < kNeighbours; ++i)
    headers.set(neighbour(i), mac(i), kOwn);
  reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace neighbour_headers_test

}  // namespace overlane::adjacency
