#include "dataplane/dpdk/bench/bench.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::dpdk {

namespace bench_report_test {

TEST(BenchReport, CountsOfAllCoresTogether) {
  BenchCase one{.mode = "vxlan", .direction = "encap", .size_bytes = 64};
  one.result.cores = {{.offered = 100, .forwarded = 100}, {.offered = 100, .forwarded = 100}};
  const auto json = encode(one);
  EXPECT_EQ(json["cores"], 2);
  EXPECT_EQ(json["offered"], 200);
  EXPECT_EQ(json["forwarded"], 200);
  EXPECT_EQ(json["drops"], nlohmann::ordered_json::object());
}

TEST(BenchReport, NamesWhatAPortDidNotTake) {
  BenchCase one;
  one.result.cores = {{.offered = 100, .forwarded = 97, .refused = 3},
                      {.offered = 100, .forwarded = 98, .refused = 2}};
  EXPECT_FALSE(one.result.is_complete());
  EXPECT_EQ(encode(one)["drops"], (nlohmann::ordered_json{{"nic-queue-full", 5}}));
}

TEST(BenchReport, HasNoOneSizeForAMixOfThem) {
  EXPECT_EQ(encode(BenchCase{.size_bytes = 0})["size_bytes"], nullptr);
  EXPECT_EQ(encode(BenchCase{.size_bytes = 64})["size_bytes"], 64);
}

TEST(BenchReport, TellsTheFamiliesApart) {
  BenchCase one{.mode = "routed", .direction = "encap", .size_bytes = 64};
  EXPECT_EQ(one.name(), "routed/encap/64");
  EXPECT_EQ(encode(one)["family"], "ipv4");
  one.family = Family::Ipv6;
  EXPECT_EQ(one.name(), "routed-ipv6/encap/64");
  EXPECT_EQ(encode(one)["family"], "ipv6");
}

}  // namespace bench_report_test

}  // namespace overlane::dpdk
