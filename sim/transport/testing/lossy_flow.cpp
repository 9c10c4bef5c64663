#include "sim/transport/testing/lossy_flow.h"

#include "sim/random/stream.h"
#include "sim/transport/testing/tcp_pair.h"

namespace overlane::transport {

double mean_window(const LossyFlow& flow) {
  const TcpConfig config{.receive_buffer = 1 << 30, .congestion_control = flow.control};
  TcpPair tcp(config, config, flow.delay);
  RandomStream random(flow.seed, StreamUse::Pattern, 0);
  std::int64_t data = 0;
  tcp.lose = [&](const TcpPair::Sent& sent, int) {
    if (!sent.from_client || sent.segment.length == 0) return false;
    ++data;
    return flow.random ? random.below(static_cast<std::uint64_t>(flow.every)) == 0
                       : data % flow.every == 0;
  };
  tcp.client.open(Picos{});
  tcp.client.write(kEndless);
  const auto send = [&](std::int64_t until) {
    while (data < until) {
      tcp.run_for(flow.delay * 20);
      tcp.log.clear();
      tcp.round_trips.clear();
    }
  };
  send(flow.segments / 10);
  const std::int64_t received = tcp.server.received();
  const Picos start = tcp.now();
  send(flow.segments);
  const double round_trips =
      static_cast<double>((tcp.now() - start).count) / static_cast<double>(flow.delay.count * 2);
  return static_cast<double>(tcp.server.received() - received) / tcp.client.mss() / round_trips;
}

}  // namespace overlane::transport
