#include "topologies/witness/single_shoot.h"

#include <utility>

#include <fmt/format.h>

#include "dataplane/forward/packet_builder.h"
#include "topologies/path/walk.h"

namespace overlane::witness {

tl::unexpected<Finding> unsupported(const effective::EffectiveDataplane& shoot, std::string message,
                                    std::string hint) {
  const ObjectName object{"Shoot", shoot.namespace_, shoot.name};
  return fail(Finding{.rule = std::string(kUnsupported),
                      .severity = Severity::Note,
                      .message = fmt::format("{}: {}", object.qualified(), message),
                      .object = object,
                      .place = shoot.place,
                      .hint = std::move(hint)});
}

Result<void> check_supported(const effective::EffectiveDataplane& shoot, Family family) {
  if (shoot.opaque) {
    return unsupported(shoot,
                       fmt::format("Overlane does not model the network type \"{}\"", shoot.cni),
                       "describe it in a NetworkProvider file");
  }
  if (shoot.dataplane_of(family) == nullptr)
    return unsupported(shoot, "its pods have no addresses of the range's family", "");
  return {};
}

Result<compile::Compiled> compile_single_shoot(const PlacedShoot& laid, Family family) {
  constexpr std::uint16_t kBytes = 100;
  auto states = compile::compile(laid.topology, laid.shoot);
  if (!states) return states;
  const std::vector<IpAddress> pods = addresses(laid.topology, Target::Pod, family);
  const forward::Packet probe =
      forward::PacketBuilder::udp(pods.front(), pods.back()).length(kBytes).dont_fragment().build();
  if (!path::walk(*states, 0, probe).delivered()) {
    return unsupported(laid.shoot, "its pods do not reach each other even without other shoots",
                       "run overlane trace");
  }
  return states;
}

std::vector<IpAddress> addresses(const graph::Topology& topology, Target side, Family family) {
  std::vector<IpAddress> list;
  if (side == Target::Pod) {
    for (const graph::Pod& pod : topology.pods())
      if (const IpAddress* address = pod.address.in(family)) list.push_back(*address);
  } else {
    for (const graph::Node& node : topology.nodes())
      if (const auto* of = node.addresses.in(family)) list.push_back(of->address);
  }
  return list;
}

}  // namespace overlane::witness
