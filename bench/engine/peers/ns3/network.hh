// SPDX-License-Identifier: GPL-2.0-only
// Part of a program of its own that links ns-3 (GPL-2.0-only); no part of Overlane's programs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

namespace overlane_ns3 {

/// Hosts that send to each other, joined by point-to-point links. NICs have 10 Gbit/s, queues hold
/// 1,000 packets, and no queue discipline is installed.
class Network {
 public:
  /// `shape`:
  ///   star       N hosts around one router: 2 links on a way.
  ///   routed     N hosts as pods, each behind a node that routes, the nodes around the VPC's
  ///              router: 4 links.
  ///   ipip       the same with a tunnel from node to node.
  ///   leafspine  N hosts in racks of 32, under 8 spines: 4 links between racks.
  /// `routes`:
  ///   table      static routes, which ns-3 searches from one end to the other.
  ///   nix        ns-3's nix-vectors, which are found once for each pair. Not with ipip.
  ///   auto       nix from 100 hosts on, where tables are slower; table otherwise, and with ipip.
  /// leafspine always has nix.
  Network(const std::string& shape, std::uint32_t hosts, const std::string& routes);

  const ns3::NodeContainer& hosts() const { return hosts_; }
  ns3::Ipv4Address address_of(std::uint32_t host) const { return addresses_[host]; }
  const ns3::NetDeviceContainer& devices() const { return devices_; }

 private:
  /// How a link is: its rate and delay.
  struct Cable {
    const char* rate;
    const char* delay;
  };
  /// The addresses of a link's ends.
  struct Ends {
    ns3::Ipv4Address a, b;
    std::uint32_t interface_a = 0, interface_b = 0;
  };

  Ends link(const ns3::Ptr<ns3::Node>& a, const ns3::Ptr<ns3::Node>& b, const Cable& cable);
  void make_star();
  void make_pods(bool tunnels);
  void make_leaf_spine();
  void add_tunnel(const ns3::Ptr<ns3::Node>& node, ns3::Ipv4Address local);

  bool by_table_ = true;
  ns3::NodeContainer hosts_;
  ns3::NetDeviceContainer devices_;
  std::vector<ns3::Ipv4Address> addresses_;       ///< Of the hosts.
  std::vector<ns3::Ipv4Address> node_addresses_;  ///< Of the pods' nodes.
  std::uint32_t links_ = 0;
};

}  // namespace overlane_ns3
