#include "sim/cost/path_cost.h"

#include <initializer_list>

namespace overlane::cost {
namespace {

StageCost sum(const CostProfile& profile, std::initializer_list<Stage> stages) {
  StageCost total;
  for (const Stage stage : stages)
    total += profile[stage];
  return total;
}

/// SIT and ip6tnl do the work of IPIP, Geneve that of VXLAN; there are no figures of their own.
StageCost encap(const CostProfile& profile, Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return {};
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
      return profile[Stage::EncapIpip];
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return profile[Stage::EncapVxlan];
  }
  return {};
}

StageCost decap(const CostProfile& profile, Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return {};
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
      return profile[Stage::DecapIpip];
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return profile[Stage::DecapVxlan];
  }
  return {};
}

}  // namespace

PathCosts::PathCosts(const CostProfile& profile)
    : socket_(profile[Stage::SocketReceive]), segments_per_skb_(profile.segments_per_skb) {
  paths_[kLocal] =
      sum(profile, {Stage::SocketSend, Stage::Veth, Stage::Netfilter, Stage::Fib, Stage::Veth});
  for (const EncapsulationFacts& out : kEncapsulations) {
    StageCost& send = paths_[path(true, false, out.encapsulation, out.encapsulation)];
    send = sum(profile,
               {Stage::SocketSend, Stage::Veth, Stage::Netfilter, Stage::Fib, Stage::DriverSend});
    send += encap(profile, out.encapsulation);
    StageCost& receive = paths_[path(false, true, out.encapsulation, out.encapsulation)];
    receive = sum(profile, {Stage::NapiReceive, Stage::Netfilter, Stage::Fib, Stage::Veth});
    receive += decap(profile, out.encapsulation);
    for (const EncapsulationFacts& in : kEncapsulations) {
      StageCost& transit = paths_[path(false, false, in.encapsulation, out.encapsulation)];
      transit = sum(profile, {Stage::NapiReceive, Stage::Netfilter, Stage::Fib, Stage::DriverSend});
      transit += decap(profile, in.encapsulation);
      transit += encap(profile, out.encapsulation);
    }
  }
}

}  // namespace overlane::cost
