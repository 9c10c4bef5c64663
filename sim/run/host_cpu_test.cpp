#include <gtest/gtest.h>

#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace host_cpu_test {

using namespace testing;
using cost::Stage;

const RunOptions kOptions{
    .duration = milliseconds(40), .warm_up = milliseconds(20), .start_spread = {}};

/// Machines with 100 Gbit/s and everything free but one stage; packets are 20 µs on the way.
Network paying(Stage stage, const cost::StageCost& cost) {
  Network network = testing::network();
  network.paths.jitter = {};
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {100'000'000'000};
  network.costs = only(stage, cost);
  return network;
}

Network with(Network network, const cost::Offloads& offloads) {
  for (host::Machine& machine : network.machines)
    machine.offloads = offloads;
  return network;
}

/// A stream that never overflows a receive ring.
TrafficGroup gentle_bulk() {
  TrafficGroup group = bulk();
  group.window_bytes = 1 << 19;
  return group;
}

std::int64_t goodput(const Network& network, const TrafficGroup& group) {
  return measure(network, {group}, kOptions).traffic[0].goodput_bps;
}

constexpr std::int64_t kSegmentBits = 1448 * 8;

TEST(ReceiveOffload, WithoutItEverySegmentIsABuffer) {
  const Network network = paying(Stage::Netfilter, {.per_skb = microseconds(8)});
  const std::int64_t alone = goodput(with(network, {.gro = false}), gentle_bulk());
  EXPECT_PRED3(near, alone, kSegmentBits * 2'000'000 / 24, alone / 50)
      << "8 µs for each segment, and for the acknowledgement of two";
  // Up to 45 segments of the 512 KiB in flight share the 8 µs; the link lets 12 Gbit in 64 KiB
  // pass.
  EXPECT_GT(goodput(network, gentle_bulk()), alone * 10);
}

TEST(ReceiveOffload, WhatThePollPaysForEachSegmentItDoesNotShare) {
  const Network network = paying(Stage::NapiReceive, {.per_packet = microseconds(2)});
  const std::int64_t merged = goodput(network, gentle_bulk());
  EXPECT_PRED3(near, merged, kSegmentBits * 500'000, merged / 50);
}

TEST(ReceiveOffload, AMergedBufferIsAcknowledgedOnce) {
  const auto packets_per_segment = [](const Network& network) {
    const Measurement result = measure(network, {gentle_bulk()}, kOptions);
    const model::TrafficResult& traffic = result.traffic[0];
    EXPECT_EQ(traffic.packets.dropped, 0);
    const double payload = static_cast<double>(traffic.goodput_bps) / 8 * 0.04;
    return static_cast<double>(traffic.packets.sent) / (payload / 1448);
  };
  const Network network = paying(Stage::Netfilter, {.per_skb = microseconds(8)});
  EXPECT_GT(packets_per_segment(with(network, {.gro = false})), 1.4) << "one for two segments";
  EXPECT_LT(packets_per_segment(network), 1.2);
}

TEST(ReceiveOffload, DatagramsAreNotMerged) {
  const Network network = paying(Stage::Netfilter, {.per_skb = microseconds(2)});
  TrafficGroup group = datagrams(8'000'000'000, 1000);
  // The sender pays the same, so it cannot send more than one in 2 µs.
  EXPECT_PRED3(near, goodput(network, group), 1000 * 8 * 500'000ll, 80'000'000);
}

TEST(SendOffload, ABufferOfManySegmentsIsPaidOnce) {
  const Network network = paying(Stage::Netfilter, {.per_skb = microseconds(8)});
  const std::int64_t alone = goodput(with(network, {.gso = false}), gentle_bulk());
  EXPECT_PRED3(near, alone, kSegmentBits * 125'000 * 100 / cost::kBurstPercent, alone / 50)
      << "directly behind one another";
  EXPECT_GT(goodput(network, gentle_bulk()), alone * 3);
}

TEST(SendOffload, TheSocketBuildsLargeBuffersWithoutGsoToo) {
  const Network network = paying(Stage::SocketSend, {.per_skb = microseconds(8)});
  const std::int64_t whole = goodput(network, gentle_bulk());
  EXPECT_PRED3(near, goodput(with(network, {.gso = false}), gentle_bulk()), whole, whole / 20)
      << "45 segments, paid for once";
}

TEST(SendOffload, ANicThatLimitsTheStreamStillGetsWholeBuffers) {
  // The NIC gives a buffer back when all of it is sent; then a whole one fits into the small queue.
  Network network = paying(Stage::SocketSend, {.per_skb = microseconds(8)});
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {10'000'000'000};
  const Measurement result = measure(network, {bulk()}, kOptions);
  EXPECT_PRED3(near, result.traffic[0].goodput_bps, 9'410'000'000, 300'000'000);
  // 18,000 buffers a second, 8 µs each, of four cores.
  EXPECT_LT(result.node_busy_ppm[0], 18'000 * 8 / 4 * 3 / 2);
}

TEST(SendOffload, ANicQueueHoldsBuffersNotSegments) {
  Network network = paying(Stage::Netfilter, {.per_skb = nanoseconds(100)});
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {10'000'000'000};
  TrafficGroup group = bulk();
  group.flows_per_pair = 30;  // Small queues let each have two buffers of 45 segments in its host.
  const auto drops = [&] {
    return measure(network, {group}, kOptions).traffic[0].drops[Drop::NicQueueFull];
  };
  EXPECT_EQ(drops(), 0);
  for (host::Machine& machine : network.machines)
    machine.nic_queue_packets = 20;
  EXPECT_GT(drops(), 45) << "a refused buffer takes all its segments with it";
}

TEST(SendOffload, WhatTheNicDoesNotSegmentInsideATunnelTheCoreDoes) {
  Network network = testing::network({.encapsulation = Encapsulation::Vxlan});
  for (host::Machine& machine : network.machines)
    machine.nic_rate = {100'000'000'000};
  network.costs = only(Stage::Segment, {.per_packet = microseconds(2)});
  const std::int64_t by_nic = goodput(network, gentle_bulk());
  const std::int64_t by_core =
      goodput(with(network, {.udp_tnl_segmentation = false}), gentle_bulk());
  EXPECT_GT(by_nic, by_core * 5);
  // All but the first of a buffer's segments take 2 µs.
  EXPECT_GT(by_core, 1398 * 8 * 500'000ll);
  EXPECT_LT(by_core, 1398 * 8 * 600'000ll);
}

TEST(Interrupts, ArePaidOncePerPoll) {
  const Network network = paying(Stage::Interrupt, {.per_skb = microseconds(3)});
  const auto busy = [&](std::int64_t rate) {
    return measure(network, {datagrams(rate, 1000)}, kOptions).node_busy_ppm[1];
  };
  // 10,000 datagrams a second, each with its interrupt: 30 ms of 4 cores.
  EXPECT_PRED3(near, busy(80'000'000), 7'500, 100);
  // 1,000,000 a second: an interrupt every 8 µs, as the NIC allows.
  EXPECT_PRED3(near, busy(8'000'000'000), 1'000'000 * 3 / 8 / 4, 10'000);
}

TEST(Interrupts, TheNicMakesADatagramWaitThatFollowsTooSoon) {
  Network network = paying(Stage::Interrupt, {.per_skb = microseconds(1)});
  for (host::Machine& machine : network.machines)
    machine.interrupt_gap = microseconds(50);
  const Measurement result = measure(network, {datagrams(320'000'000, 1000)}, kOptions);
  // One every 25 µs: an interrupt finds two, of which one came at most 25 µs before.
  const model::Histogram& latency = result.traffic[0].latency_ns;
  EXPECT_LT(latency.min(), 21'000 + 26'000);
  EXPECT_GT(latency.max(), 21'000 + 25'000);
  EXPECT_LT(latency.max(), 21'000 + 52'000);
}

TEST(Interrupts, APollThatEmptiesTheQueueIsNotFollowedByAnotherWithinTheGap) {
  // A gentle stream of 12 Gbit/s: a segment a microsecond, which the core takes half as long for.
  Network network = paying(Stage::Netfilter, {.per_skb = nanoseconds(500)});
  const auto packets_per_segment = [&](Picos gap) {
    for (host::Machine& machine : network.machines) {
      machine.nic_rate = {12'000'000'000};
      machine.interrupt_gap = gap;
    }
    const model::TrafficResult traffic = measure(network, {gentle_bulk()}, kOptions).traffic[0];
    const double segments = static_cast<double>(traffic.goodput_bps) / 8 * 0.04 / 1448;
    return static_cast<double>(traffic.packets.sent) / segments - 1;
  };
  // What comes in the gap is merged, and a buffer is acknowledged once: 40 segments in 50 µs.
  EXPECT_LT(packets_per_segment(microseconds(50)), 0.3);
  EXPECT_GT(packets_per_segment({}), 0.3);
}

TEST(Interrupts, AQueueThatAWholePollEmptiedIsInterruptedForAgain) {
  // 64 datagrams and one, all but the first in the gap behind its interrupt: a poll takes 64 at
  // once.
  Network network = paying(Stage::Interrupt, {.per_skb = microseconds(3)});
  for (host::Machine& machine : network.machines) {
    machine.cores = 1;
    machine.interrupt_gap = microseconds(500);
  }
  TrafficGroup burst = datagrams(8'000'000'000, 1000);
  burst.on = Distribution::fixed(microseconds(64).count - 1);
  burst.off = Distribution::fixed(seconds(1).count);
  TrafficGroup alone = datagrams(800'000, 1000);  // At 0 and after 10 ms.
  alone.name = "alone";
  const Measurement result =
      measure(network, {burst, alone},
              {.duration = milliseconds(15), .warm_up = milliseconds(5), .start_spread = {}});
  EXPECT_EQ(result.traffic[0].packets.sent, 64);
  EXPECT_EQ(result.node_busy_ppm[1], 300) << "the one after 10 ms has its interrupt of 3 µs";
}

TEST(Applications, AreWokenAndGoToSleepAgain) {
  const auto latency = [](const Network& network) {
    return measure(network, {requests()}, kOptions).traffic[0].latency_ns.quantile(1, 2);
  };
  const Network free = paying(Stage::WakeUp, {});
  const std::int64_t before = latency(free);
  EXPECT_PRED3(near, latency(paying(Stage::WakeUp, {.per_skb = microseconds(5)})) - before, 10'000,
               200)
      << "the server's and the client's";
  // Falling asleep is over before the other end has answered.
  const Network sleepy = paying(Stage::Sleep, {.per_skb = microseconds(5)});
  EXPECT_PRED3(near, latency(sleepy), before, 200);
  const Measurement result = measure(sleepy, {requests()}, kOptions);
  const auto per_second = result.traffic[0].goodput_bps / 8 / 100;
  for (const std::int64_t ppm : result.node_busy_ppm)
    EXPECT_PRED3(near, ppm, per_second * 5 / 4, ppm / 50);
}

TEST(Applications, OnAnIdleCoreAreWokenByAnInterruptThatTheSendingCorePays) {
  const Network network = paying(Stage::WakeIpi, {.per_skb = microseconds(5)});
  const Measurement result = measure(network, {requests()}, kOptions);
  const std::int64_t transactions = result.traffic[0].goodput_bps / 8 / 100;
  for (const std::int64_t ppm : result.node_busy_ppm)
    EXPECT_PRED3(near, ppm, transactions * 5 / 4, ppm / 50) << "a reader on each of both nodes";
  // One that always has something to read is not woken.
  Network busy = network;
  (*busy.costs)[Stage::SocketReceive].per_byte = nanoseconds(4);
  EXPECT_PRED3(near, goodput(busy, datagrams(8'000'000'000, 1000)), 1000 * 8 * 250'000ll,
               80'000'000);
}

TEST(Applications, OnABusyCoreAreWokenWithoutItsWayOutOfIdle) {
  // The pair's own latency, as a stream of datagrams keeps the core busy for which the server
  // waits.
  const auto latency = [](Picos wake_up) {
    Network network = paying(Stage::WakeUp, {.per_skb = wake_up});
    (*network.costs)[Stage::SocketReceive].per_skb = microseconds(9);
    for (host::Machine& machine : network.machines)
      machine.cores = 1;
    const TrafficGroup stream = datagrams(800'000'000, 1000, {pair(0, 1, 1)});
    return measure(network, {requests(), stream}, kOptions).traffic[0].latency_ns.quantile(1, 2);
  };
  EXPECT_LE(latency(microseconds(50)), latency(cost::kContextSwitch) + 50'000)
      << "only the client's core is idle";
}

TEST(Applications, ThatAlwaysHaveSomethingToReadDoNotSleep) {
  // Copying takes 4 µs for a datagram.
  Network network = paying(Stage::SocketReceive, {.per_byte = nanoseconds(4)});
  (*network.costs)[Stage::WakeUp].per_skb = microseconds(50);
  (*network.costs)[Stage::Sleep].per_skb = microseconds(50);
  const TrafficGroup group = datagrams(8'000'000'000, 1000);
  EXPECT_PRED3(near, goodput(network, group), 1000 * 8 * 250'000ll, 80'000'000);
}

TEST(Applications, PayForACallForEachMessageButNotForEachPartOfAStream) {
  const Network network = paying(Stage::SystemCall, {.per_skb = microseconds(4)});
  EXPECT_PRED3(near, goodput(network, datagrams(8'000'000'000, 1000)), 1000 * 8 * 250'000ll,
               80'000'000);
  EXPECT_GT(goodput(network, gentle_bulk()), 8'000'000'000);
  const Measurement result = measure(network, {requests()}, kOptions);
  const Measurement free = measure(paying(Stage::SystemCall, {}), {requests()}, kOptions);
  EXPECT_PRED3(
      near, result.traffic[0].latency_ns.quantile(1, 2) - free.traffic[0].latency_ns.quantile(1, 2),
      16'000, 200)
      << "two ends, each sends and fetches";
}

TEST(HardwareThreads, ThatShareACoreTakeLonger) {
  // The sender's core and the one that reads have 2 µs of work for each datagram, all the time; on
  // two threads these are on one core.
  Network network = paying(Stage::Netfilter, {.per_skb = microseconds(2)});
  (*network.costs)[Stage::SocketReceive].per_byte = nanoseconds(2);
  for (host::Machine& machine : network.machines)
    machine.cores = 2;
  const TrafficGroup group = datagrams(8'000'000'000, 1000);
  EXPECT_PRED3(near, goodput(network, group), 1000 * 8 * 500'000ll, 80'000'000);
  for (host::Machine& machine : network.machines)
    machine.threads_per_core = 2;
  EXPECT_PRED3(near, goodput(network, group), 1000 * 8 * 500'000ll * 5 / 8, 160'000'000);
}

TEST(RequestsOverUdp, AreTwoDatagramsEach) {
  Network network = testing::network();
  network.paths.jitter = {};
  TrafficGroup group = requests();
  group.over_udp = true;
  const Measurement result = measure(network, {group}, kOptions);
  const model::TrafficResult& traffic = result.traffic[0];
  EXPECT_GT(traffic.transactions, 400);
  EXPECT_EQ((traffic.packets.sent + 1) / 2, (traffic.packets.delivered + 2) / 2);
  // 20 µs each way, 128 and 1028 bytes with 38 around them, twice over 10 Gbit/s.
  EXPECT_EQ(traffic.latency_ns.min(), 40'000 + (166 + 1066) * 8 * 2 / 10);
}

TEST(RequestsOverUdp, AreAskedAgainWhenNoAnswerComes) {
  Network network = testing::network();
  TrafficGroup group = requests();
  group.over_udp = true;
  // The answer, which must not be fragmented, is too long for its pod.
  group.response_bytes = 3000;
  group.dont_fragment = true;
  const Measurement result =
      measure(network, {group}, {.duration = milliseconds(3500), .start_spread = {}});
  EXPECT_EQ(result.traffic[0].transactions, 0);
  EXPECT_EQ(result.traffic[0].packets.dropped, 4) << "at 0, 1, 2 and 3 s";
}

}  // namespace host_cpu_test
}  // namespace overlane::run
