// SPDX-License-Identifier: GPL-2.0-only
// Part of a program of its own that links ns-3 (GPL-2.0-only); no part of Overlane's programs.
#include "ipip_tunnel.hh"
#include "network.hh"
#include "ns3/nix-vector-routing-module.h"

namespace overlane_ns3 {
namespace {

using ns3::Ipv4Address;
using ns3::Ipv4Mask;
using ns3::Node;
using ns3::Ptr;

constexpr std::uint32_t kFirstNetwork = 0x0a000000;  // 10.0.0.0, a /30 for every link.
constexpr std::uint32_t kMostByTable = 99;
constexpr std::uint32_t kRack = 32;
constexpr std::uint32_t kSpines = 8;
const Ipv4Mask kLinkMask("255.255.255.252");

Ptr<ns3::Ipv4StaticRouting> table_of(const Ptr<Node>& node) {
  return ns3::Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<ns3::Ipv4>());
}

std::uint32_t add_interface(const Ptr<ns3::NetDevice>& device, Ipv4Address address) {
  const Ptr<ns3::Ipv4> ip = device->GetNode()->GetObject<ns3::Ipv4>();
  const std::uint32_t interface = ip->AddInterface(device);
  ip->AddAddress(interface, ns3::Ipv4InterfaceAddress(address, kLinkMask));
  ip->SetMetric(interface, 1);
  ip->SetUp(interface);
  return interface;
}

}  // namespace

Network::Network(const std::string& shape, std::uint32_t hosts, const std::string& routes)
    : by_table_(shape == "ipip" || routes == "table" ||
                (routes != "nix" && hosts <= kMostByTable)) {
  hosts_.Create(hosts);
  if (shape == "star") {
    make_star();
  } else if (shape == "leafspine") {
    by_table_ = false;
    make_leaf_spine();
  } else if (shape == "routed" || shape == "ipip") {
    make_pods(shape == "ipip");
  } else {
    NS_FATAL_ERROR("no such shape: " << shape);
  }
}

Network::Ends Network::link(const Ptr<Node>& a, const Ptr<Node>& b, const Cable& cable) {
  for (const Ptr<Node>& node : {a, b}) {
    if (node->GetObject<ns3::Ipv4>()) continue;
    ns3::InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    if (by_table_) {
      stack.SetRoutingHelper(ns3::Ipv4StaticRoutingHelper());
    } else {
      stack.SetRoutingHelper(ns3::Ipv4NixVectorHelper());
    }
    stack.Install(node);
  }
  ns3::PointToPointHelper wiring;
  wiring.SetDeviceAttribute("DataRate", ns3::StringValue(cable.rate));
  wiring.SetChannelAttribute("Delay", ns3::StringValue(cable.delay));
  wiring.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("1000p"));
  wiring.DisableFlowControl();
  const ns3::NetDeviceContainer ends = wiring.Install(a, b);
  devices_.Add(ends);
  const std::uint32_t network = kFirstNetwork + 4 * links_++;
  const Ipv4Address first(network + 1);
  const Ipv4Address second(network + 2);
  return {first, second, add_interface(ends.Get(0), first), add_interface(ends.Get(1), second)};
}

void Network::make_star() {
  const Ptr<Node> router = ns3::CreateObject<Node>();
  for (auto host = hosts_.Begin(); host != hosts_.End(); ++host) {
    const Ends ends = link(*host, router, {"10Gbps", "10us"});
    addresses_.push_back(ends.a);
    if (by_table_) table_of(*host)->SetDefaultRoute(ends.b, ends.interface_a);
  }
}

void Network::make_pods(bool tunnels) {
  const Ptr<Node> vpc = ns3::CreateObject<Node>();
  for (auto pod = hosts_.Begin(); pod != hosts_.End(); ++pod) {
    const Ptr<Node> node = ns3::CreateObject<Node>();
    const Ends veth = link(*pod, node, {"100Gbps", "0us"});
    const Ends nic = link(node, vpc, {"10Gbps", "10us"});
    addresses_.push_back(veth.a);
    node_addresses_.push_back(nic.a);
    if (!by_table_) continue;
    table_of(*pod)->SetDefaultRoute(veth.b, veth.interface_a);
    table_of(node)->SetDefaultRoute(nic.b, nic.interface_a);
    if (tunnels) {
      add_tunnel(node, nic.a);
    } else {
      table_of(vpc)->AddNetworkRouteTo(veth.a.CombineMask(kLinkMask), kLinkMask, nic.a,
                                       nic.interface_b);
    }
  }
}

/// Two links were made for each pod, so its address tells its node. A node has a route for every
/// peer's pods, as BIRD gives it one.
void Network::add_tunnel(const Ptr<Node>& node, Ipv4Address local) {
  const Ptr<IpipTunnel> tunnel = ns3::Create<IpipTunnel>(node, local, [this](Ipv4Address pod) {
    return node_addresses_[(pod.Get() - kFirstNetwork) / 8];
  });
  const std::uint32_t interface =
      add_interface(tunnel->device(), Ipv4Address(0xac100001 + 4 * links_));
  for (std::uint32_t peer = 0; peer < hosts_.GetN(); ++peer) {
    const Ipv4Address slice(kFirstNetwork + 8 * peer);
    if (slice != addresses_.back().CombineMask(kLinkMask))
      table_of(node)->AddNetworkRouteTo(slice, kLinkMask, interface);
  }
}

void Network::make_leaf_spine() {
  ns3::NodeContainer spines;
  spines.Create(kSpines);
  Ptr<Node> leaf;
  for (std::uint32_t host = 0; host < hosts_.GetN(); ++host) {
    if (host % kRack == 0) {
      leaf = ns3::CreateObject<Node>();
      for (auto spine = spines.Begin(); spine != spines.End(); ++spine)
        link(leaf, *spine, {"40Gbps", "5us"});
    }
    addresses_.push_back(link(hosts_.Get(host), leaf, {"10Gbps", "5us"}).a);
  }
}

}  // namespace overlane_ns3
