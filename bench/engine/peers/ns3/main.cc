// SPDX-License-Identifier: GPL-2.0-only
// A program of its own that links ns-3 (GPL-2.0-only), for comparison by tools/bench-engine. It is
// not installed, and no part of Overlane's programs.
//
// Runs one workload as bench/engine has it, and prints one JSON object: what arrived, events, wall
// seconds, and the peak of memory. Fails when anything did not arrive.

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <sys/resource.h>

#include "network.hh"
#include "ns3/applications-module.h"
#include "ns3/core-module.h"

namespace overlane_ns3 {
namespace {

constexpr std::uint16_t kPort = 5201;
constexpr std::uint32_t kSegment = 1448;

struct Workload {
  std::string shape = "routed";
  std::string kind = "udp";
  std::string routes = "auto";
  std::uint32_t nodes = 10;
  std::uint32_t flows = 100;
  std::uint32_t packets = 100;
  std::uint32_t payload = 1000;
  std::uint32_t gap_us = 1000;
  std::uint32_t untimed = 0;  ///< Datagrams of each flow before the clock starts.
  std::uint64_t transfer = 10'000'000;
  bool count = false;  ///< Packet-hops, which takes time.
};

std::uint64_t packet_hops = 0;

void count_hop(ns3::Ptr<const ns3::Packet>) {
  ++packet_hops;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void parse(int argc, char** argv, Workload& workload) {
  ns3::CommandLine line(__FILE__);
  line.AddValue("shape", "star, routed, ipip or leafspine", workload.shape);
  line.AddValue("kind", "udp or tcp", workload.kind);
  line.AddValue("routes", "table, nix, or auto: tables below 100 hosts and with ipip",
                workload.routes);
  line.AddValue("nodes", "hosts that send", workload.nodes);
  line.AddValue("flows", "flows of all hosts", workload.flows);
  line.AddValue("packets", "datagrams of each flow", workload.packets);
  line.AddValue("payload", "bytes of each datagram", workload.payload);
  line.AddValue("gap", "microseconds between a flow's datagrams", workload.gap_us);
  line.AddValue("untimed",
                "datagrams of each flow before the clock starts, which find the paths",
                workload.untimed);
  line.AddValue("transfer", "bytes of each TCP flow", workload.transfer);
  line.AddValue("count", "count packet-hops", workload.count);
  line.Parse(argc, argv);
}

void configure_tcp() {
  using ns3::Config::SetDefault;
  // Less than the queues hold: nothing is lost, as with Linux's small queues.
  SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(1 << 20));
  SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(1 << 20));
  SetDefault("ns3::TcpSocket::SegmentSize", ns3::UintegerValue(kSegment));
  SetDefault("ns3::TcpSocket::InitialCwnd", ns3::UintegerValue(10));
  SetDefault("ns3::TcpL4Protocol::SocketType", ns3::StringValue("ns3::TcpNewReno"));
}

/// A flow's sender. The same pairs as in bench/engine: evenly to as many others as there are.
ns3::Ptr<ns3::Application> make_sender(const Workload& workload, const Network& network,
                                       std::uint32_t flow) {
  const std::uint32_t others = workload.nodes - 1;
  const std::uint32_t per_node = std::max(1u, workload.flows / workload.nodes);
  const std::uint32_t stride = std::max(1u, others / per_node);
  const std::uint32_t from = flow % workload.nodes;
  const std::uint32_t to = (from + 1 + flow / workload.nodes * stride % others) % workload.nodes;
  const ns3::Address address = ns3::InetSocketAddress(network.address_of(to), kPort);
  ns3::Ptr<ns3::Application> sender;
  if (workload.kind == "tcp") {
    sender = ns3::CreateObjectWithAttributes<ns3::BulkSendApplication>(
        "Protocol", ns3::StringValue("ns3::TcpSocketFactory"), "Remote", ns3::AddressValue(address),
        "SendSize", ns3::UintegerValue(64 * 1024), "MaxBytes",
        ns3::UintegerValue(workload.transfer));
  } else {
    const ns3::Ptr<ns3::UdpClient> client = ns3::CreateObject<ns3::UdpClient>();
    client->SetRemote(address);
    client->SetAttribute("MaxPackets", ns3::UintegerValue(workload.packets));
    client->SetAttribute("Interval", ns3::TimeValue(ns3::MicroSeconds(workload.gap_us)));
    client->SetAttribute("PacketSize", ns3::UintegerValue(workload.payload));
    sender = client;
  }
  network.hosts().Get(from)->AddApplication(sender);
  return sender;
}

void make_senders(const Workload& workload, const Network& network) {
  const ns3::Ptr<ns3::UniformRandomVariable> start =
      ns3::CreateObject<ns3::UniformRandomVariable>();
  for (std::uint32_t flow = 0; flow < workload.flows; ++flow)
    make_sender(workload, network, flow)
        ->SetStartTime(ns3::NanoSeconds(1000.0 * start->GetValue(0, workload.gap_us)));
}

ns3::ApplicationContainer make_sinks(const Workload& workload, const Network& network) {
  const std::string factory =
      workload.kind == "tcp" ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
  ns3::PacketSinkHelper sinks(factory, ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), kPort));
  return sinks.Install(network.hosts());
}

std::uint64_t bytes_received(const ns3::ApplicationContainer& sinks) {
  std::uint64_t bytes = 0;
  for (auto sink = sinks.Begin(); sink != sinks.End(); ++sink)
    bytes += ns3::DynamicCast<ns3::PacketSink>(*sink)->GetTotalRx();
  return bytes;
}

int run(const Workload& workload) {
  const auto setup_start = std::chrono::steady_clock::now();
  configure_tcp();
  const Network network(workload.shape, workload.nodes, workload.routes);
  const ns3::ApplicationContainer sinks = make_sinks(workload, network);
  make_senders(workload, network);
  if (workload.count) {
    for (auto device = network.devices().Begin(); device != network.devices().End(); ++device)
      (*device)->TraceConnectWithoutContext("PhyTxEnd", ns3::MakeCallback(&count_hop));
  }
  if (workload.untimed > 0) {
    // All flows start within the first interval.
    ns3::Simulator::Stop(ns3::MicroSeconds(workload.gap_us) * workload.untimed);
    ns3::Simulator::Run();
  }
  const double setup_seconds = seconds_since(setup_start);
  const std::clock_t cpu_start = std::clock();
  const auto loop_start = std::chrono::steady_clock::now();
  ns3::Simulator::Run();
  const double loop_seconds = seconds_since(loop_start);
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;

  const std::uint64_t flow_bytes = workload.kind == "tcp"
                                       ? workload.transfer
                                       : std::uint64_t{workload.packets} * workload.payload;
  const std::uint64_t due = flow_bytes * workload.flows;
  const std::uint64_t received = bytes_received(sinks);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::cout << "{\"bytes_due\": " << due << ", \"bytes_received\": " << received
            << ", \"packet_hops\": " << packet_hops
            << ", \"events\": " << ns3::Simulator::GetEventCount()
            << ", \"setup_seconds\": " << setup_seconds << ", \"loop_seconds\": " << loop_seconds
            << ", \"core_share\": " << cpu_seconds / loop_seconds
            << ", \"peak_rss_mb\": " << static_cast<double>(usage.ru_maxrss) / 1024 << "}\n";
  return received == due ? 0 : 1;
}

}  // namespace
}  // namespace overlane_ns3

int main(int argc, char** argv) {
  overlane_ns3::Workload workload;
  overlane_ns3::parse(argc, argv, workload);
  return overlane_ns3::run(workload);
}
