#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "dataplane/encap/example/fou/testing/subject.h"
#include "dataplane/encap/testing/laws.h"
#include "results/base/testing/source_file.h"

namespace overlane::fou {

namespace fou_test {

using Laws = encap::testing::Laws<testing::Subject>;

TEST(Fou, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(500);
}
TEST(Fou, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(10);
}
TEST(Fou, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).corrupt_packets_are_refused_or_harmless(50);
}
TEST(Fou, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(50);
}
TEST(Fou, PushRefusesWhatIsNoPacketOrTooLong) {
  Laws(5).push_refuses_what_is_no_packet();
  Laws(5).push_knows_the_largest_packet();
}

// Found by Linux's selftest net/pmtu.sh for fou over IPv4.
TEST(Fou, TakesTwentyEightBytes) {
  EXPECT_EQ(Pusher(Tunnel{}).headroom(), 28u);
}

std::string text_of(const std::string& path) {
  std::ifstream file(source_file(path));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What docs/how-to/add-an-encapsulation.md shows of this folder stands in it, word for word.
TEST(Fou, ThePageShowsThisCode) {
  const std::string page = text_of("docs/how-to/add-an-encapsulation.md");
  const std::regex block("```cpp\n// (\\S+)\n([^`]*)```");
  int blocks = 0;
  for (std::sregex_iterator at(page.begin(), page.end(), block), end; at != end; ++at, ++blocks)
    EXPECT_NE(text_of((*at)[1]).find((*at)[2]), std::string::npos) << (*at)[1] << " has no\n"
                                                                   << (*at)[2];
  EXPECT_GE(blocks, 4);
}

}  // namespace fou_test

}  // namespace overlane::fou
