#include "topologies/compile/packet_filter.h"

#include <algorithm>

namespace overlane::compile {
namespace {

using node::PacketFilter;

void masquerade(const effective::Masquerade& masquerade, PacketFilter& filter) {
  filter.masqueraded_sources = masquerade.sources;
  filter.unmasqueraded_destinations = masquerade.except;
  filter.masqueraded_destinations = masquerade.upstream_dns;
  for (auto* list : {&filter.masqueraded_sources, &filter.unmasqueraded_destinations,
                     &filter.masqueraded_destinations}) {
    std::ranges::sort(*list);
  }
  if (masquerade.limits_ports) filter.nat_ports = node::kGardenerNatPorts;
  filter.random_fully = masquerade.random_ports;
  filter.masquerades_in_ebpf = masquerade.in_ebpf;
}

}  // namespace

std::shared_ptr<const PacketFilter> packet_filter(const effective::EffectiveDataplane& shoot,
                                                  const cni::NodeCompiler& cni) {
  auto filter = std::make_shared<PacketFilter>();
  filter->tracking = node::Tracking::Translated;
  if (cni.add_filters != nullptr) cni.add_filters(shoot, *filter);
  masquerade(shoot.masquerade, *filter);
  return filter;
}

}  // namespace overlane::compile
