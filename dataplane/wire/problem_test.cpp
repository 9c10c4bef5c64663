#include "dataplane/wire/problem.h"

#include <set>

#include <gtest/gtest.h>

#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace problem_test {

TEST(Problem, EveryRowStandsAtItsNumber) {
  for (std::size_t i = 0; i < kProblems.size(); ++i)
    EXPECT_EQ(kProblems[i].problem, static_cast<Problem>(i)) << kProblems[i].name;
}

TEST(Problem, EveryRowHasItsOwnNameAndAMeaning) {
  std::set<std::string_view> names;
  for (const ProblemFacts& row : kProblems) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.meaning.empty()) << row.name;
  }
}

TEST(Problem, TheFirstOneInTheListNamesTheDrop) {
  Problems problems;
  EXPECT_FALSE(problems.drop());
  problems.add(Problem::ReservedBits);
  EXPECT_FALSE(problems.drop()) << "which receivers ignore";
  problems.add(Problem::LengthBeyondPacket);
  EXPECT_EQ(problems.drop(), Drop::Malformed);
  problems.add(Problem::WrongChecksum);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
  problems.add(Problem::WrongVersion, false);
  EXPECT_EQ(problems.drop(), Drop::BadChecksum);
}

TEST(Problem, TheListKeepsItsOrder) {
  Problems problems;
  problems.add(Problem::ReservedBits);
  problems.add(Problem::WrongVersion);
  EXPECT_EQ(problems.list(), (std::vector{Problem::WrongVersion, Problem::ReservedBits}));
}

}  // namespace problem_test

namespace checksum_state_test {

using testing::Bytes;

struct Row {
  std::uint8_t protocol;
  std::size_t field;
  const char* source;
  const char* destination;
};

const Row kRows[] = {
    {kUdp, 6, "10.25.132.11", "10.25.132.13"},  {kTcp, 16, "10.25.132.11", "10.25.132.13"},
    {kUdp, 6, "2001:db8::1", "2001:db8::2"},    {kTcp, 16, "2001:db8::1", "2001:db8::2"},
    {kIcmpv6, 2, "2001:db8::1", "2001:db8::2"},
};

TEST(ChecksumState, OfEveryProtocolAndFamily) {
  for (const Row& row : kRows) {
    const IpAddress source = IpAddress::parse(row.source).value();
    const IpAddress destination = IpAddress::parse(row.destination).value();
    const auto state = [&](std::uint16_t checksum, std::size_t size) {
      Bytes bytes(size, 0x5a);
      if (size >= row.field + 2) store_be16(bytes.data() + row.field, checksum);
      return checksum_state(source, destination, row.protocol, bytes);
    };
    Bytes zero(40, 0x5a);
    store_be16(zero.data() + row.field, 0);
    const auto right = transport_checksum(source, destination, row.protocol, zero);
    EXPECT_EQ(state(right, 40), ChecksumState::Right);
    EXPECT_EQ(state(static_cast<std::uint16_t>(right + 1), 40), ChecksumState::Wrong);
    EXPECT_EQ(state(pseudo_header_sum(source, destination, row.protocol, 40), 40),
              ChecksumState::Partial);
    EXPECT_EQ(state(0, 40), row.protocol == kUdp ? ChecksumState::Absent : ChecksumState::Wrong);
    EXPECT_EQ(state(0, row.field + 1), std::nullopt);
  }
}

TEST(ChecksumState, PartialAsLinuxLeavesItInACapture) {
  // The outer UDP header of a GSO packet of 7,072 bytes, seen before the NIC.
  Bytes segment = testing::hex("eb b9 12 b5 1b a0 37 fc");
  segment.resize(0x1ba0, 1);
  EXPECT_EQ(checksum_state(Ipv4Address{0x0a19840b}, Ipv4Address{0x0a19840d}, kUdp, segment),
            ChecksumState::Partial);
}

TEST(ChecksumState, OtherProtocolsHaveNone) {
  EXPECT_EQ(checksum_state(Ipv4Address{1}, Ipv4Address{2}, kIcmp, Bytes(40)), std::nullopt);
}

}  // namespace checksum_state_test
}  // namespace overlane::wire
