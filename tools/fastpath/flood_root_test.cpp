#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "dataplane/wire/ethernet.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace flood_root_test {

using namespace std::chrono_literals;

/// Limit of memory growth during a flood. 131,072 connections (node::kConntrackMax) with their
/// indexes take about 100 MiB, and so do packets that wait for neighbour resolution.
constexpr std::uint64_t kMaxGrowth = 200u << 20;

/// Duration of a flood: OVERLANE_FLOOD_SECONDS, or 5 s.
std::chrono::seconds flood_time() {
  const char* set = std::getenv("OVERLANE_FLOOD_SECONDS");
  return set == nullptr ? 5s : std::chrono::seconds(std::strtoul(set, nullptr, 10));
}

/// Sends malformed frames to one of the fast path's ports as fast as it can.
class Flooder {
 public:
  Flooder(Wire wire, FrameSocket socket, const wire::EthernetHeader& left)
      : frames_(wire, left.source, left.destination, 1),
        socket_(std::move(socket)),
        thread_([this](auto stop) {
          while (!stop.stop_requested())
            sent_ += socket_.send(frames_.next());
        }) {}

  std::uint64_t sent() const { return sent_; }

 private:
  Malformed frames_;
  FrameSocket socket_;
  std::atomic<std::uint64_t> sent_ = 0;
  std::jthread thread_;
};

class Flood : public Live {
 protected:
  std::unique_ptr<Flooder> start(Wire wire, const char* tap, std::size_t recorded) {
    auto socket = FrameSocket::open(near->middle, tap);
    if (!socket) return nullptr;
    const auto frame = recorder->last_out(recorded);
    return std::make_unique<Flooder>(wire, std::move(*socket), wire::parse_ethernet(frame).value());
  }
};

TEST_F(Flood, MalformedFramesAreCountedAndForwardingContinues) {
  ASSERT_NO_FATAL_FAILURE(begin({"vxlan", 1450, 1450}));
  auto datagrams = Datagrams::open(near->near_pod, kFarPod, Df::Set);
  ASSERT_TRUE(datagrams) << datagrams.error();
  ASSERT_EQ(datagrams->exchange(1400), "");
  // Stop recording: forwarded frames of the flood are malformed too, and would fill the disk.
  EXPECT_EQ(recorder->problems(), "");
  auto from_pods = start(Wire::Pods, "tpods", kPodWire);
  auto from_uplink = start(Wire::Uplink, "tup", kUplinkWire);
  ASSERT_TRUE(from_pods && from_uplink);

  const auto began = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(1s);
  const std::uint64_t early = fast_path->resident_bytes();
  std::uint64_t most = early;
  while (std::chrono::steady_clock::now() < began + flood_time()) {
    std::this_thread::sleep_for(100ms);
    ASSERT_TRUE(fast_path->is_running()) << fast_path->told();
    most = std::max(most, fast_path->resident_bytes());
  }
  const std::uint64_t sent = from_pods->sent() + from_uplink->sent();
  from_pods.reset();
  from_uplink.reset();
  EXPECT_LT(most, early + kMaxGrowth);

  // The queues may still be full of frames of the flood, so the first datagrams may be lost.
  EXPECT_TRUE(comes_true(
      [&] { return datagrams->send(1400).empty() && !datagrams->receive(500ms).empty(); }));
  const auto ahead = [this] { return fast_path->ask_report()["packets"]["ahead"].get<int>(); };
  const int before = ahead();
  constexpr int kExchanges = 500;
  auto others = Datagrams::open(near->near_pod, kFarPod, Df::Set);
  ASSERT_TRUE(others) << others.error();
  for (int i = 0; i < kExchanges; ++i)
    EXPECT_EQ(others->exchange(100), "");
  std::cout << fmt::format("of {} packets after it adjacencies took {}\n", 2 * kExchanges,
                           ahead() - before);
  EXPECT_EQ(exchange_pings(near->near_pod, kFarPod, Df::Set, fitting(1450, 28)), "");
  EXPECT_EQ(exchange_streams(far->far_pod, kNearPod, std::vector<std::size_t>{1'000'000}), "");
  EXPECT_EQ(fast_path->stop(), 0) << fast_path->told();
  const auto report = fast_path->report();
  expect_all_counted(report);
  EXPECT_GT(report["packets"]["received"], sent / 100) << "it was no flood";
  std::cout << fmt::format("sent {}; resident {} MiB after a second, at most {} MiB; {}\n", sent,
                           early >> 20, most >> 20, report.dump());
}

}  // namespace flood_root_test
}  // namespace overlane::fastpath
