#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <time.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/net/checksum.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/transport.h"
#include "results/base/testing/measured_on_time.h"
#include "sim/transport/testing/tcp_pair.h"

namespace overlane::testbed {
namespace tcp_sender_root_test {

// The kernel's TCP sender beside the simulator's. A test plays the path and the peer of a
// connection of the kernel: it receives the segments on a packet socket and acknowledges what it
// wants. The simulated sender meets the same path, with every phase of its timers.

using kernel::Command;
using kernel::Frame;
using kernel::NetworkNamespace;
using kernel::OwnedFd;
using kernel::PacketPort;
using kernel::Program;
using Clock = std::chrono::steady_clock;
using transport::TcpConnection;
using transport::TcpPair;

constexpr std::uint32_t kMss = 1448;
constexpr std::uint16_t kPeerPort = 5201;
constexpr Ipv4Address kSenderAddress{0x0a000001}, kPeerAddress{0x0a000002};
constexpr MacAddress kSenderMac{{2, 0, 0, 0, 0, 1}}, kPeerMac{{2, 0, 0, 0, 0, 2}};

Picos picos_of(Clock::duration time) {
  return Picos{std::chrono::nanoseconds(time).count() * 1000};
}

/// The period of the kernel's timer interrupt, which is the resolution of its coarse clocks.
Picos tick_of_kernel() {
  timespec resolution{};
  clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
  return Picos{resolution.tv_nsec * 1000};
}

/// A TCP connection from the kernel of one namespace to an address whose host is the test.
class KernelSender {
 public:
  /// A data segment; the sequence number of the first byte is 0.
  struct Data {
    Clock::time_point at;
    std::int64_t begin = 0;
    std::uint32_t length = 0;
    std::uint32_t timestamp = 0;

    std::int64_t end() const { return begin + length; }
  };

  /// Makes both namespaces and opens the connection with CUBIC; the peer answers the SYN after
  /// `round_trip`. False if that fails.
  bool open(Clock::duration round_trip = {}) {
    round_trip_ = round_trip;
    const std::vector<Command> commands = {
        {Program::Ip, fmt::format("link add eth0 address {} type veth peer name eth0 netns world",
                                  kSenderMac.to_string())},
        {Program::Ip, "address add 10.0.0.1/24 dev eth0"},
        {Program::Ip, "link set eth0 up"},
        {Program::Ip, fmt::format("neigh add {} lladdr {} dev eth0 nud permanent",
                                  kPeerAddress.to_string(), kPeerMac.to_string())}};
    if (!near_ || !far_ || !run_commands(commands, *near_, *far_)) return false;
    auto port = PacketPort::open(*far_, "eth0");
    // Without segmentation offload, each segment is a packet.
    if (!port || !kernel::make_ready(*near_, "eth0")) return false;
    port_ = *std::move(port);
    const kernel::Inside inside(*near_);
    socket_ = OwnedFd(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    constexpr int kOn = 1, kSendBuffer = 64 << 20;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
    setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kSendBuffer, sizeof kSendBuffer);
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    peer.sin_port = htons(kPeerPort);
    peer.sin_addr.s_addr = htonl(kPeerAddress.bits);
    static_cast<void>(connect(socket_.get(), reinterpret_cast<sockaddr*>(&peer), sizeof peer));
    return run_until(
        Clock::now() + std::chrono::seconds(2), [](const Data&) {}, [this] { return is_open_; });
  }

  void write(std::size_t bytes) {
    const std::vector<char> zeros(bytes);
    EXPECT_EQ(send(socket_.get(), zeros.data(), bytes, 0), static_cast<ssize_t>(bytes));
  }

  /// Receives segments, and passes on those with data, until `end` or until `is_done`. Returns
  /// is_done().
  bool run_until(
      Clock::time_point end, const std::function<void(const Data&)>& on_data,
      const std::function<bool()>& is_done = [] { return false; }) {
    while (!is_done()) {
      const auto left = end - Clock::now();
      if (left <= Clock::duration::zero()) return false;
      const auto frame = port_->receive();
      if (frame) {
        receive(*frame, on_data);
        continue;
      }
      pollfd waits{port_->fd(), POLLIN, 0};
      const auto nanoseconds = std::chrono::nanoseconds(left).count();
      const timespec timeout{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
      ppoll(&waits, 1, &timeout, nullptr);
    }
    return true;
  }

  /// Acknowledges all bytes before `next_expected`, and the block [begin, end) if it is not empty.
  void acknowledge(std::int64_t next_expected, std::uint32_t echo, std::int64_t begin = 0,
                   std::int64_t end = 0) {
    wire::TcpHeader header = answer(wire::kTcpAck, next_expected, echo);
    if (end > begin) {
      header.sack_block_count = 1;
      header.sack_blocks[0] = {first_sequence_ + static_cast<std::uint32_t>(begin),
                               first_sequence_ + static_cast<std::uint32_t>(end)};
    }
    send_header(header);
  }

  tcp_info info() const {
    tcp_info info{};
    socklen_t size = sizeof info;
    getsockopt(socket_.get(), IPPROTO_TCP, TCP_INFO, &info, &size);
    return info;
  }

 private:
  wire::TcpHeader answer(std::uint8_t flags, std::int64_t next_expected, std::uint32_t echo) const {
    const auto milliseconds = Clock::now().time_since_epoch() / std::chrono::milliseconds(1);
    return {.source_port = kPeerPort,
            .destination_port = sender_port_,
            .sequence = (flags & wire::kTcpSyn) != 0 ? 0u : 1u,
            .acknowledgement = first_sequence_ + static_cast<std::uint32_t>(next_expected),
            .flags = flags,
            .window = 0xffff,
            .timestamps = wire::TcpTimestamps{static_cast<std::uint32_t>(milliseconds), echo}};
  }

  void receive(const Frame& frame, const std::function<void(const Data&)>& on_data) {
    const auto at = Clock::now();
    const auto ip = wire::parse_ipv4(frame.packet);
    if (!ip || ip->protocol != wire::kTcp) return;
    const auto packet = packet_of(*ip, std::span(std::as_const(frame.packet)));
    const auto segment = packet.subspan(ip->header_bytes);
    const auto tcp = wire::parse_tcp(segment);
    if (!tcp) return;
    if ((tcp->header.flags & wire::kTcpSyn) != 0) {
      sender_port_ = tcp->header.source_port;
      first_sequence_ = tcp->header.sequence + 1;
      wire::TcpHeader header =
          answer(wire::kTcpSyn | wire::kTcpAck, 0, tcp->header.timestamps->value);
      header.mss = kMss + 12;
      header.window_scale = 9;
      header.sack_permitted = true;
      std::this_thread::sleep_until(at + round_trip_);
      return send_header(header);
    }
    is_open_ = true;
    const std::size_t length = segment.size() - tcp->header_bytes;
    if (length == 0) return;
    on_data({at, static_cast<std::int32_t>(tcp->header.sequence - first_sequence_),
             static_cast<std::uint32_t>(length), tcp->header.timestamps->value});
  }

  void send_header(wire::TcpHeader header) {
    std::vector<std::uint8_t> packet(wire::kIpv4Bytes + header_bytes(header));
    wire::write(wire::Ipv4Header{.total_length = static_cast<std::uint16_t>(packet.size()),
                                 .dont_fragment = true,
                                 .protocol = wire::kTcp,
                                 .source = kPeerAddress,
                                 .destination = kSenderAddress},
                packet);
    const auto segment = std::span(packet).subspan(wire::kIpv4Bytes);
    wire::write(header, segment);
    header.checksum = transport_checksum(kPeerAddress, kSenderAddress, wire::kTcp, segment);
    wire::write(header, segment);
    EXPECT_TRUE(port_->send(kSenderMac, packet));
  }

  Parsed<NetworkNamespace> near_ = NetworkNamespace::make(), far_ = NetworkNamespace::make();
  std::optional<PacketPort> port_;
  OwnedFd socket_;
  std::uint16_t sender_port_ = 0;
  std::uint32_t first_sequence_ = 0;  ///< Sequence number of the first byte.
  bool is_open_ = false;
  Clock::duration round_trip_{};
};

/// What the path loses of a burst of ten segments. It loses all that the sender sends again, except
/// where the peer has to report something.
enum class Loss : std::uint8_t { Everything, TheLastSegment, TheLastThree };

/// A transmission of a segment of the burst.
struct Transmission {
  std::int64_t segment = 0;  ///< 0 to 9.
  Picos after;               ///< Since the first transmission of the burst.
};

/// The receiver acknowledges these and the burst at once (TCP_MAX_QUICKACKS is 16), as the test
/// does.
constexpr int kWarmUpWrites = 5;
constexpr std::int64_t kWarmUpBytes = 100;
constexpr std::int64_t kBurstBegin = kWarmUpWrites * kWarmUpBytes;
constexpr int kBurst = 10;

/// Whether the path loses the first transmission of this segment.
bool is_lost(Loss loss, std::int64_t segment) {
  switch (loss) {
    case Loss::Everything:
      return true;
    case Loss::TheLastSegment:
      return segment == kBurst - 1;
    case Loss::TheLastThree:
      return segment >= kBurst - 3;
  }
  return true;
}

/// The retransmissions of the kernel's sender within `span`, and its smoothed round-trip time
/// before the burst.
struct KernelRun {
  std::vector<Transmission> repeated;
  Picos smoothed_rtt;
};

KernelRun run_kernel(Loss loss, std::chrono::milliseconds span) {
  KernelSender sender;
  if (!sender.open()) {
    ADD_FAILURE() << "no connection";
    return {};
  }
  for (int i = 0; i < kWarmUpWrites; ++i) {
    sender.write(kWarmUpBytes);
    std::int64_t arrived = 0;
    sender.run_until(
        Clock::now() + std::chrono::seconds(1),
        [&](const KernelSender::Data& data) {
          arrived = data.end();
          sender.acknowledge(arrived, data.timestamp);
        },
        [&] { return arrived == (i + 1) * kWarmUpBytes; });
  }
  KernelRun run{.smoothed_rtt = microseconds(sender.info().tcpi_rtt)};

  Clock::time_point began;
  std::array<int, kBurst> transmissions{};
  std::array<bool, kBurst> arrived{};
  sender.write(kBurst * kMss);
  sender.run_until(Clock::now() + span, [&](const KernelSender::Data& data) {
    const std::int64_t segment = (data.begin - kBurstBegin) / kMss;
    if (segment < 0 || segment >= kBurst) return;
    if (segment == 0 && transmissions[0] == 0) began = data.at;
    const bool is_first = transmissions[static_cast<std::size_t>(segment)]++ == 0;
    if (!is_first) run.repeated.push_back({segment, picos_of(data.at - began)});
    if (loss == Loss::Everything || (is_first && is_lost(loss, segment))) return;
    arrived[static_cast<std::size_t>(segment)] = true;
    const auto first_missing = std::ranges::find(arrived, false) - arrived.begin();
    const bool is_beyond_gap = segment > first_missing;
    sender.acknowledge(kBurstBegin + first_missing * kMss, data.timestamp,
                       is_beyond_gap ? data.begin : 0, is_beyond_gap ? data.end() : 0);
  });
  return run;
}

/// Sends over that path from the simulator's sender, whose kernel has these timers.
std::vector<Transmission> run_simulator(Loss loss, Picos round_trip, Picos span,
                                        const transport::TimerWheel& timers) {
  TcpPair tcp({.timers = timers}, {}, round_trip / 2);
  std::vector<Transmission> repeated;
  Picos began = transport::kNever;
  std::array<int, kBurst> transmissions{};
  tcp.lose = [&](const TcpPair::Sent& sent, int) {
    if (!sent.from_client || sent.segment.length != kMss) return false;
    const std::int64_t segment = (sent.segment.sequence - kBurstBegin) / kMss;
    if (segment == 0 && transmissions[0] == 0) began = sent.at;
    const bool is_first = transmissions[static_cast<std::size_t>(segment)]++ == 0;
    if (!is_first) repeated.push_back({segment, sent.at - began});
    return loss == Loss::Everything || (is_first && is_lost(loss, segment));
  };
  tcp.client.open(Picos{});
  tcp.run_until(round_trip * 2);
  for (int i = 0; i < kWarmUpWrites; ++i) {
    tcp.client.write(kWarmUpBytes);
    tcp.run_for(round_trip * 2);
  }
  tcp.client.write(kBurst * kMss);
  tcp.run_for(span);
  return repeated;
}

/// The simulator's retransmissions for each phase of the kernel's timers that these tests can tell
/// apart: timers of up to 2 s fire at multiples of 8 ticks.
std::vector<std::vector<Transmission>> run_all_phases(Loss loss, Picos round_trip, Picos span) {
  constexpr int kTicks = 8, kPhasesPerTick = 8;
  const Picos tick = tick_of_kernel();
  std::vector<std::vector<Transmission>> runs;
  for (int phase = 0; phase < kTicks * kPhasesPerTick; ++phase)
    runs.push_back(run_simulator(loss, round_trip, span, {tick, tick * phase / kPhasesPerTick}));
  return runs;
}

double milliseconds_of(Picos time) {
  return static_cast<double>(time.count) / 1e9;
}

std::string text_of(const std::vector<Transmission>& run) {
  std::string text;
  for (const auto& [segment, after] : run)
    text += fmt::format(" {} after {:.2f} ms", segment, milliseconds_of(after));
  return text;
}

/// Whether the kernel sent what the simulator did with one phase of its timers. The phases are
/// half a millisecond apart, and the test's thread sees a segment up to 1 ms late.
bool is_same(const std::vector<Transmission>& kernel, const std::vector<Transmission>& simulated) {
  return std::ranges::equal(
      kernel, simulated, [](const Transmission& left, const Transmission& right) {
        return left.segment == right.segment && left.after >= right.after - microseconds(500) &&
               left.after <= right.after + milliseconds(1);
      });
}

class SendsAgain : public ::testing::TestWithParam<Loss> {};

TEST_P(SendsAgain, WhenTheSimulatorDoes) {
  // Between two retransmissions of the blackhole: 0.2, 0.6, 1.4 s.
  constexpr std::chrono::milliseconds kSpan{1'000};
  const Loss loss = GetParam();
  /// Empty if the kernel and the simulator did the same.
  const auto compare = [&]() -> std::string {
    const KernelRun kernel = run_kernel(loss, kSpan);
    const auto runs = run_all_phases(loss, kernel.smoothed_rtt, milliseconds(kSpan.count()));
    const bool is_expected = std::ranges::any_of(
        runs, [&](const auto& simulated) { return is_same(kernel.repeated, simulated); });
    if (is_expected) return "";
    return fmt::format("kernel:{}; simulator, for example:{}", text_of(kernel.repeated),
                       text_of(runs.front()));
  };
  EXPECT_EQ(measured_on_time(compare, ""), "");
}

INSTANTIATE_TEST_SUITE_P(TcpSender, SendsAgain,
                         ::testing::Values(Loss::Everything, Loss::TheLastSegment,
                                           Loss::TheLastThree));

// Slow start on a path of 100 Mbit/s and 100 ms that loses nothing.

constexpr BitsPerSecond kPathRate{100'000'000};
constexpr std::chrono::milliseconds kPathRoundTrip{100};
/// Segments that a receiver acknowledges one by one at first (TCP_MAX_QUICKACKS).
constexpr int kAtOnce = 16;

/// When a packet leaves the bottleneck, which it reaches at `at`.
class Bottleneck {
 public:
  Picos leaves(Picos at, std::uint32_t bytes) {
    free_at_ = std::max(free_at_, at) + serialization_time(Bytes{bytes}, kPathRate);
    return free_at_;
  }

 private:
  Picos free_at_;
};

/// The congestion window at the end of slow start, in segments; 0 if slow start does not end.
int kernel_slow_start_ends_at() {
  struct Answer {
    Clock::time_point at;
    std::int64_t next_expected;
    std::uint32_t echo;
  };
  KernelSender sender;
  if (!sender.open(kPathRoundTrip)) return 0;
  const auto start = Clock::now();
  std::deque<Answer> answers;
  Bottleneck bottleneck;
  int arrived = 0;
  int window = 0;
  // Little at a time: a long write would delay the acknowledgements.
  constexpr std::size_t kFirstWrite = 256 << 10, kWritePerAcknowledgement = 16 << 10;
  sender.write(kFirstWrite);
  const auto end = start + std::chrono::seconds(4);
  while (Clock::now() < end && window == 0) {
    while (!answers.empty() && answers.front().at <= Clock::now()) {
      sender.acknowledge(answers.front().next_expected, answers.front().echo);
      answers.pop_front();
      sender.write(kWritePerAcknowledgement);
      const tcp_info info = sender.info();
      if (info.tcpi_snd_ssthresh < 0x7fffffff) {
        window = static_cast<int>(info.tcpi_snd_ssthresh);
        break;
      }
    }
    const auto next = answers.empty() ? end : std::min(end, answers.front().at);
    sender.run_until(
        next,
        [&](const KernelSender::Data& data) {
          const Picos leaves = bottleneck.leaves(picos_of(data.at - start), data.length + 52);
          ++arrived;
          if (arrived > kAtOnce && arrived % 2 != 0) return;
          answers.push_back({start + std::chrono::nanoseconds(leaves.count / 1000) + kPathRoundTrip,
                             data.end(), data.timestamp});
        },
        [&] { return !answers.empty() && answers.front().at < next; });
  }
  return window;
}

int simulated_slow_start_ends_at() {
  TcpPair tcp({}, {.receive_buffer = 64 << 20}, milliseconds(kPathRoundTrip.count()) / 2);
  Bottleneck bottleneck;
  tcp.late = [&](const TcpPair::Sent& sent, int) {
    const bool is_data = sent.from_client && sent.segment.length > 0;
    return is_data ? bottleneck.leaves(sent.at, sent.segment.ip_bytes()) - sent.at : Picos{};
  };
  tcp.client.open(Picos{});
  tcp.client.write(transport::kEndless);
  while (tcp.now() < seconds(4)) {
    tcp.run_for(microseconds(100));
    if (!tcp.client.in_slow_start()) return static_cast<int>(tcp.client.congestion_window() / kMss);
  }
  return 0;
}

TEST(TcpSender, HyStartEndsSlowStartWhereTheKernelDoes) {
  const int simulated = simulated_slow_start_ends_at();
  EXPECT_GT(simulated, 0);
  const auto near =
      ::testing::AllOf(::testing::Ge(simulated * 95 / 100), ::testing::Le(simulated * 105 / 100));
  EXPECT_THAT(measured_on_time(&kernel_slow_start_ends_at, near), near);
}

}  // namespace tcp_sender_root_test
}  // namespace overlane::testbed
