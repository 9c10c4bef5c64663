#include "scenarios/runner/plan/services.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/forward/packet.h"
#include "topologies/compile/compile.h"

namespace overlane::runner {
namespace {

constexpr std::uint16_t kServicePort = 80;
/// Address .1 of the range is the API server's Service, .10 the cluster DNS's.
constexpr std::uint64_t kFirst = 20;

struct Needs {
  std::uint32_t pods_per_node = 0;
  bool tcp = false;
  bool udp = false;
};

Needs needs_of(const spec::Scenario& scenario) {
  Needs needs;
  for (const spec::Traffic& traffic : scenario.traffic) {
    if (!traffic.to_service) continue;
    needs.pods_per_node = std::max(needs.pods_per_node, traffic.pods_per_node);
    const bool is_udp = traffic.kind == model::TrafficKind::Udp || traffic.over_udp;
    (is_udp ? needs.udp : needs.tcp) = true;
  }
  return needs;
}

/// Number of addresses in the range.
std::uint64_t size_of(const IpPrefix& range) {
  const int bits = (range.is_ipv4() ? 32 : 128) - range.length();
  return std::uint64_t{1} << std::min(bits, 62);
}

}  // namespace

Result<void> add_services(const Prepared& prepared, const effective::EffectiveDataplane& shoot,
                          Family family, compile::Compiled& states) {
  const Needs needs = needs_of(prepared.scenario);
  const auto range = std::ranges::find_if(shoot.services, [=](const IpPrefix& services) {
    return services.network().family() == family;
  });
  if (needs.pods_per_node == 0 || range == shoot.services.end()) return {};
  const graph::Topology& topology = prepared.subject.topology;
  std::vector<node::Service> services;
  std::uint64_t number = kFirst;
  for (std::uint32_t node = 0; node < topology.nodes().size(); ++node) {
    const graph::Topology::PodRange pods = topology.pods_of(node);
    for (std::uint32_t p = 0; p < std::min(pods.count, needs.pods_per_node); ++p) {
      const IpAddress* pod = topology.pods()[pods.first + p].address.in(family);
      if (pod == nullptr) continue;
      if (number + 1 >= size_of(*range)) {
        return fail(Finding{.rule = "impossible-topology",
                            .message = fmt::format("the service range {} does not hold a Service "
                                                   "for each pod that traffic goes to",
                                                   range->to_string()),
                            .object = {},
                            .hint = "give a larger range, or traffic less podsPerNode"});
      }
      const IpAddress front = range->network() + number++;
      const std::vector<node::Endpoint> endpoints{{*pod, run::kServerPort}};
      if (needs.tcp) services.push_back({{front, kServicePort, forward::kTcp}, endpoints});
      if (needs.udp) services.push_back({{front, kServicePort, forward::kUdp}, endpoints});
    }
  }
  return compile::add_services(std::move(services), shoot, prepared.seed, states);
}

}  // namespace overlane::runner
