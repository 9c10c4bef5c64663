#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "topologies/cni/extension/masquerade_decision.h"

namespace overlane::cni {

using effective::Addressing;
using effective::as_assumed;
using effective::as_given;
using effective::Decided;
using effective::Masquerade;
using effective::NetworkInputs;
using effective::Provenance;
namespace {

/// The nameservers that the provider's nodes get by DHCP.
std::vector<IpPrefix> nameservers(const NetworkInputs& inputs) {
  const provider::Profile& provider = inputs.provider;
  if (!inputs.families.has(Family::Ipv4)) return {};  // Only IPv4 has such rules.
  if (!provider.machines.nameserver.empty()) {
    return {IpPrefix::host(IpAddress::parse(provider.machines.nameserver).value())};
  }
  if (provider.machines.nameserver_offset == 0) return {};
  const auto& vpc = inputs.spec.shoot.infrastructure.network_cidr;
  const auto nodes = ipv4_of(inputs.addressing.nodes.value);
  if (!vpc && nodes.empty()) return {};
  return {IpPrefix::host((vpc ? vpc->value : nodes.front()).network() +
                         provider.machines.nameserver_offset)};
}

}  // namespace

std::vector<IpPrefix> ipv4_of(const std::vector<IpPrefix>& ranges) {
  std::vector<IpPrefix> list;
  std::ranges::copy_if(ranges, std::back_inserter(list), &IpPrefix::is_ipv4);
  return list;
}

void masquerade_ipv6(const Addressing& addressing, const Provenance& why, bool nodes,
                     MasqueradeDecision& decision) {
  const auto add = [](const std::vector<IpPrefix>& ranges, std::vector<IpPrefix>& list) {
    std::ranges::copy_if(ranges, std::back_inserter(list),
                         [](const IpPrefix& range) { return !range.is_ipv4(); });
  };
  add(addressing.pods.value, decision.masquerade.sources);
  add(addressing.pods.value, decision.masquerade.except);
  if (nodes) add(addressing.nodes.value, decision.masquerade.except);
  decision.sources.because += fmt::format("; IPv6 pods, too: {}", why.because);
}

void except_nodes(const Addressing& addressing, Masquerade& masquerade) {
  const std::vector<IpPrefix> nodes = ipv4_of(addressing.nodes.value);
  masquerade.except.insert(masquerade.except.end(), nodes.begin(), nodes.end());
}

Decided<bool> snat_to_upstream_dns(const manifest::Field<bool>& given, bool by_default,
                                   const NetworkInputs& inputs, const char* charts) {
  const bool routed = inputs.overlay.enabled == false;
  if (routed && inputs.provider.admission.forces_dns_snat_off(inputs.spec.type.value))
    return {false, as_assumed(fmt::format("admission of provider {} turns snatToUpstreamDNS off "
                                          "without an overlay",
                                          inputs.provider.name),
                              inputs.provider.admission.mutator)};
  if (given) return {given->value, as_given(*given)};
  return {by_default && routed,
          as_assumed(by_default ? "snatToUpstreamDNS is on only where overlay.enabled is false"
                                : "snatToUpstreamDNS is not set",
                     charts)};
}

void decide_upstream_dns(const Decided<bool>& wanted, const NetworkInputs& inputs,
                         MasqueradeDecision& decision) {
  decision.upstream_dns = wanted.basis;
  if (!wanted.value) return;
  decision.masquerade.upstream_dns = nameservers(inputs);
  decision.upstream_dns.assumed = true;
  decision.upstream_dns.because +=
      decision.masquerade.upstream_dns.empty()
          ? ", but no document names the nodes' nameservers: none is masqueraded"
          : fmt::format(", to the nameserver that {} gives its machines", inputs.provider.name);
}

void mark_assumed_ranges(const Addressing& addressing, MasqueradeDecision& decision) {
  const bool nodes = decision.masquerade.except.size() > decision.masquerade.sources.size();
  decision.sources.assumed |= addressing.pods.basis.assumed;
  decision.except.assumed |=
      addressing.pods.basis.assumed || (nodes && addressing.nodes.basis.assumed);
}

}  // namespace overlane::cni
