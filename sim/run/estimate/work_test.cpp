#include "sim/run/estimate/work.h"

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace work_test {

using namespace testing;

TEST(Work, OfRequestsIsWhatTheLinkLetsThrough) {
  struct Row {
    std::uint32_t request;
    std::uint32_t response;
    std::uint32_t flows;
  };
  for (const Row& row : {Row{1, 1, 1}, Row{200, 4'000, 1}, Row{50'000, 100, 1},
                         Row{100'000'000, 1, 1}, Row{1, 100'000'000, 4}}) {
    TrafficGroup group = requests();
    group.request_bytes = row.request;
    group.response_bytes = row.response;
    group.flows_per_pair = row.flows;
    const RunOptions options{.duration = milliseconds(40), .start_spread = {}};
    const Measurement result = measure(network(), {group}, options);
    const double estimate = estimate_work(network(), {group}, options.duration).packets;
    const auto sent = static_cast<double>(result.traffic[0].packets.sent);
    EXPECT_GT(estimate / sent, 0.6) << row.request << ' ' << row.response;
    EXPECT_LT(estimate / sent, 1.7) << row.request << ' ' << row.response;
  }
}

TEST(Work, OfStreamsIsWhatUplinksLetThrough) {
  Network racked = network({.nodes = 4});
  racked.paths.racks = fabric::Racks{.nodes_per_rack = 2, .uplink = {1'000'000'000}};
  for (const std::uint32_t to : {2u, 1u}) {  // To another rack, and within one.
    TrafficGroup group = bulk({pair(0, to)});
    group.window_bytes = 200'000;  // More would be lost at the uplink, and sent again.
    const RunOptions options{.duration = milliseconds(100), .start_spread = {}};
    const double estimate = estimate_work(racked, {group}, options.duration).packets;
    const auto sent =
        static_cast<double>(measure(racked, {group}, options).traffic[0].packets.sent);
    EXPECT_NEAR(estimate / sent, 1, 0.1) << to;
  }
}

}  // namespace work_test
}  // namespace overlane::run
