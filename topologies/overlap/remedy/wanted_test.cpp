#include "topologies/overlap/remedy/wanted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::overlap {
namespace wanted_test {

using ::testing::HasSubstr;

struct Row {
  const char* because;
  Wanted wanted;
  const char* flaw;  ///< Empty: a shoot can have such pods.
};

IpPrefix range(const char* text) {
  return IpPrefix::parse(text).value();
}

const Row kRows[] = {
    {"Gardener's usual one", {}, ""},
    {"one node", {.length = 24}, ""},
    {"less than one node", {.length = 25}, "pods of /25 are too few for 1 node of /24"},
    {"no length of IPv4", {.length = 64}, "these need a /24"},
    {"a length that is enough", {.length = 19, .nodes = 32}, ""},
    {"one that is not", {.length = 20, .nodes = 32}, "for 32 nodes of /24: these need a /19"},
    {"larger nodes", {.length = 17, .nodes = 100, .max_pods = 250}, "these need a /16"},
    {"larger nodes by the provider's default",
     {.length = 24, .provider = effective::Provider::Metal},
     "for 1 node of /23: these need a /23"},
    {"more nodes than addresses", {.nodes = 1 << 24}, "no range of pods holds 16777216 nodes"},
    {"as many pod CIDRs as Kubernetes makes", {.nodes = 65'536, .pools = {range("fd00::/8")}}, ""},
    {"one more", {.nodes = 65'537, .pools = {range("fd00::/8")}}, "pods of /47 are too many"},
    {"IPv6", {.length = 56, .pools = {range("fd00::/8")}}, ""},
    {"less than one node of IPv6",
     {.length = 65, .pools = {range("fd00::/8")}},
     "these need a /64"},
};

TEST(Wanted, SaysWhyNoShootCouldHaveSuchPods) {
  for (const Row& row : kRows) {
    if (*row.flaw == '\0')
      EXPECT_EQ(row.wanted.flaw(), "") << row.because;
    else
      EXPECT_THAT(row.wanted.flaw(), HasSubstr(row.flaw)) << row.because;
  }
}

}  // namespace wanted_test
}  // namespace overlane::overlap
