#include "dataplane/kernel/traffic/other_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::kernel {
namespace {

using ::testing::HasSubstr;

TEST(OtherProgram, Iperf3SaysWhatTheServerReceived) {
  const auto value = goodput_of_iperf3(
      R"({"start": {}, "end": {"sum_sent": {"bits_per_second": 1.6e10},
          "sum_received": {"bits_per_second": 15987654321.4}}})");
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ(*value, 15'987'654'321);
}

TEST(OtherProgram, ErrorsOfIperf3AreToldAsTheyAre) {
  EXPECT_EQ(goodput_of_iperf3(R"({"error": "unable to connect to server"})").error(),
            "iperf3: unable to connect to server");
}

TEST(OtherProgram, AnotherVersionIsNotUnderstood) {
  for (const char* printed : {"", "iperf3: unrecognized option '--json'\nUsage: …",
                              R"({"end": {"sum_received": 12}})", R"({"end": []})", "[1, 2]"})
    EXPECT_THAT(goodput_of_iperf3(printed).error(), HasSubstr("which is not understood"));
  for (const char* printed : {"", "sockperf: percentile 50.000 = ", "percentile 50.000 =  x",
                              "---> percentile 50.000 =   -3"})
    EXPECT_THAT(round_trip_of_sockperf(printed).error(), HasSubstr("which is not understood"));
}

TEST(OtherProgram, ALineAboutAnErrorIsQuoted) {
  EXPECT_EQ(
      round_trip_of_sockperf("== version ==\nsockperf: ERROR: no server\nsockperf: bye\n").error(),
      "sockperf printed \"sockperf: ERROR: no server\", which is not understood");
}

TEST(OtherProgram, SockperfSaysHalfOfTheRoundTrip) {
  const auto value = round_trip_of_sockperf(
      "sockperf: ---> percentile 75.000 =   31.200\n"
      "sockperf: ---> percentile 50.000 =   29.641\n");
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ(*value, 59'282);
}

TEST(OtherProgram, WhatNoneSendsIsSaid) {
  const FlowEnd nowhere;
  const auto refused = [&](const FlowLoad& load, std::uint32_t streams) {
    return measure_with_other_program(load, streams, nowhere, nowhere, 1, std::chrono::seconds(1))
        .error();
  };
  const FlowLoad requests{.kind = FlowKind::Requests, .request_bytes = 64, .response_bytes = 64};
  FlowLoad small = requests, paced = requests, unlike = requests;
  small.request_bytes = small.response_bytes = 13;
  paced.per_second = 1000;
  unlike.response_bytes = 1000;
  for (const FlowLoad& load : {small, paced, unlike, FlowLoad{.kind = FlowKind::Datagrams}})
    EXPECT_THAT(refused(load, 1), HasSubstr("neither iperf3 nor sockperf"));
  EXPECT_THAT(refused(requests, 2), HasSubstr("neither iperf3 nor sockperf"));
}

}  // namespace
}  // namespace overlane::kernel
