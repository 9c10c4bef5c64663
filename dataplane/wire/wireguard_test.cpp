#include "dataplane/wire/wireguard.h"

#include <gtest/gtest.h>

#include "dataplane/wire/testing/bytes.h"

namespace overlane::wire {
namespace wireguard_test {

using testing::Bytes;
using testing::hex;

Bytes message(const char* front, std::size_t size) {
  Bytes bytes = hex(front);
  bytes.resize(size, 0xee);
  return bytes;
}

struct Row {
  const char* what;
  const char* front;
  std::size_t size;
  WireguardHeader header;
};

const Row kRows[] = {
    {"initiation", "01 00 00 00 44 33 22 11", 148, {.type = 1, .sender = 0x11223344}},
    {"response",
     "02 00 00 00 01 00 00 80 02 00 00 00",
     92,
     {.type = 2, .sender = 0x80000001, .receiver = 2}},
    {"cookie reply", "03 00 00 00 07 00 00 00", 64, {.type = 3, .receiver = 7}},
    {"keepalive",
     "04 00 00 00 07 00 00 00 08 07 06 05 04 03 02 01",
     32,
     {.type = 4, .receiver = 7, .counter = 0x0102030405060708}},
    {"transport padded to the MTU only",
     "04 00 00 00 07 00 00 00 00 00 00 00 00 00 00 00",
     1453,
     {.type = 4, .receiver = 7, .counter = 0}},
};

TEST(WireguardWire, EveryMessageIsRecognised) {
  for (const Row& row : kRows)
    EXPECT_EQ(parse_wireguard(message(row.front, row.size)).value(), row.header) << row.what;
}

TEST(WireguardWire, ASizeThatTheTypeCannotHaveIsRefused) {
  for (const Row& row : kRows) {
    for (std::size_t size = 0; size < 200; ++size) {
      const bool fits = row.header.type == 4 ? size >= 32 : size == row.size;
      const Bytes bytes = testing::first(message(row.front, 200), size);
      EXPECT_EQ(parse_wireguard(bytes).has_value(), fits) << row.what << " " << size;
      EXPECT_EQ(inspect_wireguard(bytes).has_value(), size >= 16) << row.what << " " << size;
    }
  }
}

TEST(WireguardWire, TheFourBytesOfTheTypeAreOneNumber) {
  EXPECT_FALSE(parse_wireguard(message("00 00 00 00", 148)));
  EXPECT_FALSE(parse_wireguard(message("05 00 00 00", 148)));
  for (const char* front : {"01 01 00 00", "01 00 01 00", "01 00 00 01"}) {
    const Bytes bytes = message(front, 148);
    EXPECT_FALSE(parse_wireguard(bytes)) << front;
    EXPECT_EQ(inspect_wireguard(bytes)->problems.list(), std::vector{Problem::ReservedBits});
  }
}

}  // namespace wireguard_test
}  // namespace overlane::wire
