// SPDX-License-Identifier: GPL-2.0-only
// Part of a program of its own that links ns-3 (GPL-2.0-only); no part of Overlane's programs.
#pragma once

#include <functional>
#include <utility>

#include "ns3/internet-module.h"
#include "ns3/virtual-net-device-module.h"

namespace overlane_ns3 {

/// The node that has the pod with this address.
using Peer = std::function<ns3::Ipv4Address(ns3::Ipv4Address pod)>;

/// IP in IP (RFC 2003) at one node, which ns-3 does not have: a virtual device whose packets get an
/// outer header, as in ns-3's own examples, and the protocol that takes it off again.
class IpipTunnel : public ns3::IpL4Protocol {
 public:
  static constexpr int kIpip = 4;
  static constexpr std::uint16_t kIpv4 = 0x0800;

  static ns3::TypeId GetTypeId() {
    static const ns3::TypeId id =
        ns3::TypeId("overlane_ns3::IpipTunnel").SetParent<ns3::IpL4Protocol>();
    return id;
  }

  /// Of a node with the internet stack and the address `local`; routes may lead into `device()`.
  IpipTunnel(const ns3::Ptr<ns3::Node>& node, ns3::Ipv4Address local, Peer peer)
      : ip_(node->GetObject<ns3::Ipv4L3Protocol>()), local_(local), peer_(std::move(peer)) {
    device_ = ns3::CreateObject<ns3::VirtualNetDevice>();
    device_->SetAddress(ns3::Mac48Address::Allocate());
    device_->SetIsPointToPoint(true);
    device_->SetMtu(1480);
    device_->SetNeedsArp(false);
    device_->SetSendCallback(ns3::MakeCallback(&IpipTunnel::push, this));
    node->AddDevice(device_);
    ip_->Insert(ns3::Ptr<ns3::IpL4Protocol>(this));
  }

  const ns3::Ptr<ns3::VirtualNetDevice>& device() const { return device_; }

  int GetProtocolNumber() const override { return kIpip; }

  RxStatus Receive(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv4Header&,
                   ns3::Ptr<ns3::Ipv4Interface>) override {
    device_->Receive(packet, kIpv4, device_->GetAddress(), device_->GetAddress(),
                     ns3::NetDevice::PACKET_HOST);
    return RX_OK;
  }
  RxStatus Receive(ns3::Ptr<ns3::Packet>, const ns3::Ipv6Header&,
                   ns3::Ptr<ns3::Ipv6Interface>) override {
    return RX_ENDPOINT_UNREACH;
  }
  void SetDownTarget(DownTargetCallback) override {}
  void SetDownTarget6(DownTargetCallback6) override {}
  DownTargetCallback GetDownTarget() const override { return {}; }
  DownTargetCallback6 GetDownTarget6() const override { return {}; }

 private:
  bool push(ns3::Ptr<ns3::Packet> packet, const ns3::Address&, const ns3::Address&, std::uint16_t) {
    ns3::Ipv4Header inner;
    packet->PeekHeader(inner);
    ip_->Send(packet, local_, peer_(inner.GetDestination()), kIpip, nullptr);
    return true;
  }

  ns3::Ptr<ns3::Ipv4L3Protocol> ip_;
  ns3::Ptr<ns3::VirtualNetDevice> device_;
  ns3::Ipv4Address local_;
  Peer peer_;
};

}  // namespace overlane_ns3
