#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "sim/host/machine.h"
#include "sim/run/estimate/estimates.h"
#include "sim/run/limits/run_inputs.h"
#include "sim/run/run.h"
#include "sim/run/testing/small_network.h"

namespace overlane::run {
namespace racks_test {

using namespace testing;

constexpr std::int64_t kGbit = 1'000'000'000;
const RunOptions kOptions{
    .duration = milliseconds(60), .warm_up = milliseconds(30), .start_spread = {}};

/// Two nodes to a rack, a spine, links between them as fast as the nodes' NICs.
constexpr fabric::Racks kTwoToARack{.nodes_per_rack = 2, .uplink = {10 * kGbit}};

Network racked(const fabric::Racks& racks, const ClusterShape& shape = {.nodes = 4}) {
  Network network = testing::network(shape);
  network.paths.racks = racks;
  return network;
}

std::int64_t goodput(const Measurement& result, std::size_t group = 0) {
  return result.traffic[group].goodput_bps;
}

/// By which spines the packets of each flow went.
std::map<std::uint32_t, std::set<std::uint32_t>> spines_of_flows(const Network& network,
                                                                 const TrafficGroup& group) {
  std::map<std::uint32_t, std::set<std::uint32_t>> spines;
  const TraceOptions trace_of{.follows = [](std::uint32_t, std::uint32_t) { return true; },
                              .see =
                                  [&](const TraceEvent& seen) {
                                    if (seen.stop == TracePoint::AtSpine && !seen.backward)
                                      spines[seen.flow].insert(seen.switch_number);
                                  }};
  RunOptions options = kOptions;
  options.trace = &trace_of;
  measure(network, {group}, options);
  return spines;
}

TEST(Racks, APacketTakesTwoLinksMoreBetweenRacks) {
  const Network network = racked(kTwoToARack);
  const auto hops_of_packet = [&](std::uint32_t to) {
    RunOptions options = kOptions;
    options.start_spread = microseconds(100);
    const Measurement result =
        measure(network, {datagrams(8'000'000, 1000, {pair(0, to)})}, options);
    const model::PacketCounts& packets = result.traffic[0].packets;
    EXPECT_EQ(packets.delivered, packets.sent);
    EXPECT_EQ(result.engine.packet_hops % packets.sent, 0);
    return result.engine.packet_hops / packets.sent;
  };
  EXPECT_EQ(hops_of_packet(1), 4) << "veth, NIC, port, veth";
  EXPECT_EQ(hops_of_packet(2), 6) << "uplink, downlink";
}

TEST(Racks, TheirLinksAddNothingToTheLatencyButTheirTime) {
  Network network = racked({.nodes_per_rack = 2, .uplink = {kGbit}}, {.nodes = 4, .subnets = 2});
  network.paths.across_zones = microseconds(300);
  network.paths.jitter = {};
  network.fabric.subnets[1].zone = "another";
  const Picos nic = host::frame_time(1028, {10 * kGbit});
  const Picos link = host::frame_time(1028, {kGbit});
  struct Row {
    std::uint32_t to;
    Picos latency;
  };
  // Nodes alternate between two zones, so 0 and 2 share a rack, and 1 is in another zone.
  for (const Row& row :
       {Row{2, microseconds(20) + nic * 2}, Row{1, microseconds(300) + nic * 2 + link * 2}}) {
    const Measurement result =
        measure(network, {datagrams(8'000'000, 1000, {pair(0, row.to)})}, kOptions);
    EXPECT_EQ(result.traffic[0].latency_ns.min(), row.latency.whole_nanoseconds());
  }
}

TEST(Racks, SwitchesSpreadWhatTheOuterHeaderTellsApart) {
  struct Row {
    Encapsulation encapsulation;
    std::uint32_t payload;
    std::size_t least, most;  ///< Spines that two pairs of pods with 16 flows each take.
  };
  for (const Row& row :
       {Row{Encapsulation::None, 1000, 5, 8}, Row{Encapsulation::Vxlan, 1000, 5, 8},
        Row{Encapsulation::Ipip, 1000, 1, 1}, Row{Encapsulation::Wireguard, 1000, 1, 1},
        // Fragments show the pods' addresses, and those of the nodes.
        Row{Encapsulation::None, 3000, 2, 2}, Row{Encapsulation::Ipip, 3000, 1, 1}}) {
    const Network network = racked({.nodes_per_rack = 2, .spines = 8, .uplink = {10 * kGbit}},
                                   {.encapsulation = row.encapsulation, .nodes = 4});
    TrafficGroup group = datagrams(20'000'000, row.payload, {pair(0, 2), pair(0, 2, 1)});
    group.flows_per_pair = 16;
    group.dont_fragment = false;
    std::set<std::uint32_t> all;
    const auto spines = spines_of_flows(network, group);
    ASSERT_EQ(spines.size(), 32u);
    for (const auto& [flow, taken] : spines) {
      EXPECT_EQ(taken.size(), 1u) << "one way for all packets of a flow";
      all.merge(std::set(taken));
    }
    EXPECT_GE(all.size(), row.least) << to_string(row.encapsulation) << ' ' << row.payload;
    EXPECT_LE(all.size(), row.most) << to_string(row.encapsulation) << ' ' << row.payload;
  }
}

TEST(Racks, EachUplinkCarriesWhatItsFlowsSendAndDropsTheRest) {
  for (const Encapsulation encapsulation :
       {Encapsulation::None, Encapsulation::Ipip, Encapsulation::Vxlan}) {
    const Network network = racked({.nodes_per_rack = 2, .spines = 3, .uplink = {kGbit}},
                                   {.encapsulation = encapsulation, .nodes = 4});
    TrafficGroup group = datagrams(260'000'000, 1000, {pair(0, 2)});
    group.flows_per_pair = 9;
    std::map<std::uint32_t, std::int64_t> flows_of_spine;
    for (const auto& [flow, spines] : spines_of_flows(network, group))
      ++flows_of_spine[*spines.begin()];
    const std::int64_t frame = 1028 + overhead(encapsulation, Family::Ipv4) + host::kFrameOverhead;
    std::int64_t expected = 0;
    for (const auto& [spine, flows] : flows_of_spine)
      expected += std::min(flows * 260'000'000, kGbit * 1000 / frame);
    const Measurement result = measure(network, {group}, kOptions);
    EXPECT_PRED3(near, goodput(result), expected, expected / 200) << to_string(encapsulation);
    const model::TrafficResult& traffic = result.traffic[0];
    EXPECT_GT(traffic.drops[Drop::FabricQueueFull], 0);
    EXPECT_EQ(traffic.drops[Drop::FabricQueueFull], traffic.packets.dropped);
  }
}

TEST(Racks, OversubscriptionIsFeltBetweenRacksOnly) {
  const fabric::Racks three_to_one{.nodes_per_rack = 3, .uplink = {10 * kGbit}};
  const Network network = racked(three_to_one, {.nodes = 6});
  TrafficGroup across = bulk({pair(0, 3), pair(1, 4), pair(2, 5)});
  across.name = "across";
  const std::int64_t alone = goodput(measure(testing::network({.nodes = 6}), {across}, kOptions));
  const Measurement result = measure(network, {across}, kOptions);
  EXPECT_PRED3(near, goodput(result) * 3, alone, alone / 50);
  EXPECT_EQ(result.limits[0].station, "uplink of rack 1 to spine 1");
  EXPECT_EQ(result.limits[0].constant, "uplink rate 10 Gbit/s");
  EXPECT_EQ(result.behind_limits[0], (std::vector<Parameter>{{Parameter::Kind::UplinkRate}}));

  // The other way round, into the rack whose uplinks are full, and beside it.
  TrafficGroup within = bulk({pair(3, 4)});
  within.name = "within";
  const Measurement both =
      measure(network, {bulk({pair(0, 5), pair(1, 5), pair(2, 5)}), within}, kOptions);
  EXPECT_PRED3(near, goodput(both, 1) * 3, alone, alone / 100) << "a NIC's rate";
}

TEST(Racks, AConstantThatLimitsIsWorthATenth) {
  RunInputs setting{racked({.nodes_per_rack = 2, .uplink = {kGbit}}),
                    {datagrams(2 * kGbit, 1000, {pair(0, 2)})}};
  const auto of = [](const RunInputs& asked) {
    return goodput(measure(asked.network, asked.traffic, kOptions));
  };
  const std::int64_t before = of(setting);
  const Parameter uplink{Parameter::Kind::UplinkRate};
  EXPECT_EQ(std::ranges::count(all_constants(setting.network, setting.traffic), uplink), 1);
  EXPECT_EQ(name_of(uplink, setting), "racks.uplink");
  perturb(setting, uplink);
  EXPECT_EQ(value_of(uplink, setting), "1100 Mbit/s");
  EXPECT_PRED3(near, of(setting), before * 11 / 10, before / 100);
}

TEST(Racks, ConnectionsThatAreOpenedLaterAreNoOtherFlows) {
  Network network = racked(kTwoToARack);
  network.paths.racks->spines = 4;
  TrafficGroup group = requests({pair(0, 2), pair(0, 3), pair(1, 2), pair(1, 3)});
  const std::int64_t lasting = measure(network, {group}, kOptions).traffic[0].transactions;
  group.connections = Connections::PerRequest;
  const Measurement opened = measure(network, {group}, kOptions);
  EXPECT_EQ(opened.traffic[0].drops, DropCounts{});
  EXPECT_PRED3(near, opened.traffic[0].transactions, lasting / 2, lasting / 20)
      << "a handshake takes as long as a request";
}

TEST(Racks, ManyRacksToOneFillTheSpinesLinkToIt) {
  const Network network = racked({.nodes_per_rack = 2, .uplink = {kGbit}}, {.nodes = 6});
  RunOptions options = kOptions;
  options.series = SeriesOptions{.interval = milliseconds(10)};
  const Measurement result =
      measure(network, {datagrams(700'000'000, 1000, {pair(0, 4), pair(2, 5)})}, options);
  EXPECT_EQ(result.limits[0].station, "downlink of spine 1 to rack 3");
  EXPECT_GT(result.traffic[0].drops[Drop::FabricQueueFull], 0);
  EXPECT_EQ(result.series->rack_link_packets.back(), 1'001) << "one is on the link";
  EXPECT_LE(std::ranges::max(result.series->nodes.port_packets), 1);
}

/// Poisson arrivals of many nodes at a link: an M/D/1 queue (Pollaczek and Khinchine).
TEST(Racks, AnUplinkIsAQueueAsTheoryHasIt) {
  constexpr std::uint32_t kSenders = 8;
  constexpr std::int64_t kPackets = 200'000;
  for (const std::int64_t load : {50, 80}) {
    const BitsPerSecond uplink{kGbit};
    Network network =
        racked({.nodes_per_rack = kSenders, .uplink = uplink}, {.nodes = kSenders + 1});
    network.paths.jitter = {};
    for (host::Machine& machine : network.machines)
      machine.nic_rate = {400 * kGbit};
    const Picos frame = host::frame_time(1028, uplink);
    std::vector<PodPair> pairs;
    for (std::uint32_t node = 0; node < kSenders; ++node)
      pairs.push_back(pair(node, kSenders));
    TrafficGroup group =
        datagrams(mean_rate(Bytes{1000}, frame).count * load / 100 / kSenders, 1000, pairs);
    group.arrivals = Arrivals::Poisson;
    const Measurement result =
        measure(network, {group}, {.duration = frame * 100 / load * kPackets, .start_spread = {}});
    EXPECT_EQ(result.traffic[0].packets.dropped, 0);
    const Picos nic = host::frame_time(1028, {400 * kGbit});
    const Picos without_wait = network.paths.within_zone + nic * 2 + frame * 2;
    const double wait = static_cast<double>(result.traffic[0].latency_ns.mean() -
                                            without_wait.whole_nanoseconds()) /
                        static_cast<double>(frame.whole_nanoseconds());
    const double expected = static_cast<double>(load) / static_cast<double>(100 - load) / 2;
    EXPECT_NEAR(wait, expected, expected * 0.05) << load;
  }
}

TEST(Racks, DecisionsKeptOrMadeAnewAndLookedAtComeToTheSame) {
  for (const Encapsulation encapsulation : {Encapsulation::None, Encapsulation::Vxlan}) {
    const Network network = racked({.nodes_per_rack = 2, .spines = 4, .uplink = {3 * kGbit}},
                                   {.encapsulation = encapsulation, .nodes = 4});
    TrafficGroup group = bulk({pair(0, 2), pair(1, 3), pair(3, 0)});
    group.flows_per_pair = 4;
    RunOptions options = kOptions;
    const Measurement kept = measure(network, {group}, options);
    options.keep_decisions = false;
    const Measurement anew = measure(network, {group}, options);
    options.series = SeriesOptions{.interval = milliseconds(7), .each_node = true};
    const Measurement counted = measure(network, {group}, options);
    expect_the_same(anew, kept);
    expect_the_same(counted, kept);
  }
}

TEST(Racks, AreInTheEstimateOfMemory) {
  const auto estimate = [](std::uint32_t spines) {
    const Network network = racked({.nodes_per_rack = 2, .spines = spines, .uplink = {kGbit}});
    return estimate_memory(network, {bulk({pair(0, 2)})}, milliseconds(20)).count;
  };
  EXPECT_GT(estimate(256), estimate(1) + 2 * 2 * 255 * 40);
}

}  // namespace racks_test
}  // namespace overlane::run
