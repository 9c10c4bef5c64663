#include <gtest/gtest.h>

#include "dataplane/encap/geneve/testing/subject.h"
#include "dataplane/encap/testing/laws.h"

namespace overlane::geneve {
namespace {

using Laws = encap::testing::Laws<testing::Subject>;

TEST(Geneve, PushWritesTheNaiveBytesAndPopGivesThePacketBack) {
  Laws(1).push_is_naive_and_pop_gives_back(3000);
}
TEST(Geneve, APacketCutAtAnyByteIsRefused) {
  Laws(2).cut_packets_are_refused(30);
}
TEST(Geneve, HeadersThatLieAreRefusedOrHarmless) {
  Laws(3).lies_are_refused_or_harmless(300);
}
TEST(Geneve, EcnIsCombinedOnArrival) {
  Laws(4).ecn_is_combined_on_arrival(200);
}
TEST(Geneve, PushRefusesWhatIsNoPacketOrTooLong) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Laws(seed).push_refuses_what_is_no_packet();
    Laws(seed).push_knows_the_largest_packet();
  }
}

}  // namespace
}  // namespace overlane::geneve
