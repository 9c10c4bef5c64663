#include "topologies/cni/extension/masquerade.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace overlane::cni {

using effective::Addressing;
using effective::as_assumed;
using effective::as_given;
using effective::Decided;
using effective::DecidedMasquerade;
using effective::NetworkInputs;
using effective::Provenance;

Nameservers nameservers(const NetworkInputs& inputs) {
  const provider::Profile& provider = inputs.provider;
  const Nameservers unknown{{}, "no document names the nodes' nameservers: none is masqueraded"};
  if (!inputs.families.has(Family::Ipv4)) return unknown;
  const std::string given =
      fmt::format("to the nameserver that {} gives its machines", provider.name);
  if (!provider.machines.nameserver.empty())
    return {{IpAddress::parse(provider.machines.nameserver).value()}, given};
  const std::uint32_t offset = provider.machines.nameserver_offset;
  if (offset == 0) return unknown;
  const auto at = [&](const IpPrefix& range) { return std::vector{range.network() + offset}; };
  const manifest::Infrastructure& infrastructure = inputs.spec.shoot.infrastructure;
  if (const auto& vpc = infrastructure.network_cidr) return {at(vpc->value), given};
  const auto nodes = ipv4_of(inputs.addressing.nodes.value);
  if (nodes.empty()) return unknown;
  // Without an existing network, Gardener creates a VPC with the nodes' range.
  if (!infrastructure.network_id) return {at(nodes.front()), given};
  return {at(nodes.front()),
          fmt::format("{}, at offset {} of its VPC's range; no document gives the range of {}, so "
                      "the nodes' range {} is used instead",
                      given, offset, infrastructure.network_id->value, nodes.front().to_string())};
}

std::vector<IpPrefix> ipv4_of(const std::vector<IpPrefix>& ranges) {
  std::vector<IpPrefix> list;
  std::ranges::copy_if(ranges, std::back_inserter(list), &IpPrefix::is_ipv4);
  return list;
}

void masquerade_ipv6(const Addressing& addressing, const Provenance& why, bool nodes,
                     DecidedMasquerade& masquerade) {
  const auto add = [](const std::vector<IpPrefix>& ranges, std::vector<IpPrefix>& list) {
    std::ranges::copy_if(ranges, std::back_inserter(list),
                         [](const IpPrefix& range) { return !range.is_ipv4(); });
  };
  add(addressing.pods.value, masquerade.sources.value);
  add(addressing.pods.value, masquerade.except.value);
  if (nodes) add(addressing.nodes.value, masquerade.except.value);
  masquerade.sources.basis.because += fmt::format("; IPv6 pods, too: {}", why.because);
}

void except_nodes(const Addressing& addressing, DecidedMasquerade& masquerade) {
  const std::vector<IpPrefix> nodes = ipv4_of(addressing.nodes.value);
  std::vector<IpPrefix>& except = masquerade.except.value;
  except.insert(except.end(), nodes.begin(), nodes.end());
}

Decided<bool> snat_to_upstream_dns(const manifest::Field<bool>& given, bool by_default,
                                   const NetworkInputs& inputs, sources::Citation charts) {
  const bool routed = inputs.overlay.enabled == false;
  if (routed && inputs.admission_runs() &&
      inputs.provider.admission.forces_dns_snat_off(inputs.spec.type.value))
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
                         DecidedMasquerade& masquerade) {
  Provenance& basis = masquerade.upstream_dns.basis;
  basis = wanted.basis;
  if (!wanted.value) return;
  const Nameservers found = nameservers(inputs);
  basis.assumed = true;
  basis.because += (found.addresses.empty() ? ", but " : ", ") + found.because;
  std::ranges::transform(found.addresses, std::back_inserter(masquerade.upstream_dns.value),
                         &IpPrefix::host);
}

void mark_assumed_ranges(const Addressing& addressing, DecidedMasquerade& masquerade) {
  auto& sources = masquerade.sources;
  auto& except = masquerade.except;
  const bool nodes = except.value.size() > sources.value.size();
  sources.basis.assumed |= addressing.pods.basis.assumed;
  except.basis.assumed |=
      addressing.pods.basis.assumed || (nodes && addressing.nodes.basis.assumed);
}

}  // namespace overlane::cni
