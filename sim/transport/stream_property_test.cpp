#include <algorithm>

#include <gtest/gtest.h>

#include "sim/random/stream.h"
#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {
namespace stream_property_test {

/// Impairments of a path, in both directions.
struct Path {
  const char* what;
  std::uint64_t loss_percent;
  std::uint64_t reordered_percent;
  Picos most_lateness;
  CongestionControl algorithm = CongestionControl::Cubic;
  std::int64_t receive_buffer = 3 << 20;
  std::uint8_t mtu_probing = 0;
};

class AnyPath : public testing::TestWithParam<Path> {
 public:
  static constexpr std::int64_t kRequest = 400'000;
  static constexpr std::int64_t kResponse = 150'000;

  /// Transfers bytes in both directions over a path with random loss and delay, then closes.
  static TcpPair run(const Path& path, std::uint64_t seed) {
    const TcpConnection::Config config{.receive_buffer = path.receive_buffer,
                                       .congestion_control = path.algorithm,
                                       .mtu_probing = path.mtu_probing};
    TcpPair tcp(config, config, milliseconds(5));
    tcp.lose = [path, random = RandomStream(seed, StreamUse::Pattern, 1)](const TcpPair::Sent&,
                                                                          int) mutable {
      return random.below(100) < path.loss_percent;
    };
    tcp.late = [path, random = RandomStream(seed, StreamUse::Pattern, 2)](const TcpPair::Sent&,
                                                                          int) mutable {
      if (random.below(100) >= path.reordered_percent) return Picos{};
      const auto bound = static_cast<std::uint64_t>(path.most_lateness.count);
      return Picos{static_cast<std::int64_t>(random.below(bound))};
    };
    tcp.client.open(Picos{});
    tcp.client.write(kRequest);
    tcp.client.close();
    while (!tcp.server.peer_closed() && tcp.now() < seconds(600))
      tcp.run_for(milliseconds(10));
    tcp.server.write(kResponse);
    tcp.server.close();
    tcp.run_for(seconds(900));
    return tcp;
  }
};

/// Expects that neither end sent a byte beyond the window offered by then.
void expect_windows_kept(const TcpPair& tcp, Picos delay) {
  for (const bool from_client : {true, false}) {
    std::int64_t edge = 0;
    std::vector<std::pair<Picos, std::int64_t>> offers;  // By earliest time of arrival.
    for (const TcpPair::Sent& sent : tcp.log)
      if (sent.from_client != from_client)
        offers.emplace_back(sent.at + delay, sent.segment.acknowledges + sent.segment.window);
    std::size_t next = 0;
    for (const TcpPair::Sent& sent : tcp.log) {
      if (sent.from_client != from_client) continue;
      for (; next < offers.size() && offers[next].first <= sent.at; ++next)
        edge = std::max(edge, offers[next].second);
      ASSERT_LE(sent.segment.end(), edge);
    }
  }
}

TEST_P(AnyPath, DeliversTheWholeStreamBothWaysAndCloses) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const TcpPair tcp = run(GetParam(), seed);
    SCOPED_TRACE(testing::Message() << GetParam().what << ", seed " << seed);
    EXPECT_EQ(tcp.server.received(), kRequest);
    EXPECT_EQ(tcp.client.received(), kResponse);
    EXPECT_EQ(tcp.client.acknowledged(), kRequest);
    EXPECT_EQ(tcp.server.acknowledged(), kResponse);
    EXPECT_TRUE(tcp.client.closed() && tcp.server.closed());

    std::int64_t payload = 0;
    std::int64_t most = 0;
    for (const TcpPair::Sent& sent : tcp.log) {
      if (sent.from_client) payload += sent.segment.length;
      most = std::max<std::int64_t>(most, sent.segment.length);
    }
    const std::int64_t again = tcp.client.retransmissions() * most;
    EXPECT_GE(payload, kRequest);
    EXPECT_LE(payload, kRequest + again) << "new bytes go once, others are counted";
    expect_windows_kept(tcp, milliseconds(5));
  }
}

TEST_P(AnyPath, SameInputsGiveTheSameSegments) {
  const TcpPair one = run(GetParam(), 7);
  const TcpPair other = run(GetParam(), 7);
  ASSERT_EQ(one.log.size(), other.log.size());
  for (std::size_t i = 0; i < one.log.size(); ++i) {
    const Segment& a = one.log[i].segment;
    const Segment& b = other.log[i].segment;
    ASSERT_EQ(one.log[i].at, other.log[i].at);
    ASSERT_EQ(std::tuple(a.sequence, a.length, a.acknowledges, a.window, a.sack),
              std::tuple(b.sequence, b.length, b.acknowledges, b.window, b.sack));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tcp, AnyPath,
    testing::Values(Path{"a clean path", 0, 0, {}}, Path{"some loss", 1, 0, {}},
                    Path{"heavy loss", 20, 0, {}},
                    Path{"reordering in the window of RACK", 0, 30, milliseconds(2)},
                    Path{"reordering beyond it", 0, 10, milliseconds(40)},
                    Path{"both", 5, 20, milliseconds(15)},
                    Path{"both, NewReno", 5, 20, milliseconds(15), CongestionControl::NewReno},
                    Path{.what = "both, a small window",
                         .loss_percent = 5,
                         .reordered_percent = 20,
                         .most_lateness = milliseconds(15),
                         .receive_buffer = 5'000},
                    Path{.what = "both, and a search for the MTU",
                         .loss_percent = 5,
                         .reordered_percent = 20,
                         .most_lateness = milliseconds(15),
                         .mtu_probing = 2}));

}  // namespace stream_property_test
}  // namespace overlane::transport
