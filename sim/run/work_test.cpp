#include "sim/run/work.h"

#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace {

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

}  // namespace
}  // namespace overlane::run
