#include <algorithm>
#include <iterator>
#include <variant>

#include <fmt/format.h>

#include "topologies/effective/masquerade_decision.h"

namespace overlane::effective {
namespace {

constexpr const char* kCalicoPool =
    "gardener-extension-networking-calico/charts/internal/calico/templates/ippool/ippool.yaml";
constexpr const char* kCalicoCharts = "gardener-extension-networking-calico/pkg/charts/utils.go";
constexpr const char* kCiliumCharts = "gardener-extension-networking-cilium/pkg/charts/utils.go";
constexpr const char* kCiliumNat = "cilium/cilium bpf/lib/nat.h";

std::vector<IpPrefix> ipv4_of(const std::vector<IpPrefix>& ranges) {
  std::vector<IpPrefix> list;
  std::ranges::copy_if(ranges, std::back_inserter(list), &IpPrefix::is_ipv4);
  return list;
}

void append(std::vector<IpPrefix>& list, const std::vector<IpPrefix>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

/// The switch that re-inserts a rule for each nameserver of resolv.conf.
Decided<bool> snat_to_upstream_dns(const manifest::Field<bool>& given, bool by_default,
                                   const DataplaneInputs& inputs, const char* charts) {
  const bool routed = inputs.overlay.enabled == false;
  if (routed && inputs.rules.dns_snat_forced_off)
    return {false, as_assumed(fmt::format("admission of provider {} turns snatToUpstreamDNS off "
                                          "without an overlay",
                                          inputs.rules.name),
                              inputs.rules.mutator)};
  if (given) return {given->value, as_given(*given)};
  return {by_default && routed,
          as_assumed(by_default ? "snatToUpstreamDNS is on only where the overlay is off by its key"
                                : "snatToUpstreamDNS is not set",
                     charts)};
}

/// The nameservers that a node of this provider gets by DHCP.
std::vector<IpPrefix> nameservers(const DataplaneInputs& inputs, const Addressing& addressing) {
  const ProviderRules& rules = inputs.rules;
  if (!rules.nameserver.empty()) {
    return {IpPrefix::host(IpAddress::parse(rules.nameserver).value())};
  }
  if (rules.nameserver_offset == 0) return {};
  const auto& vpc = inputs.spec.shoot.infrastructure.network_cidr;
  const IpPrefix range = vpc ? vpc->value : addressing.nodes.value.front();
  return {IpPrefix::host(range.network() + rules.nameserver_offset)};
}

void decide_upstream_dns(const Decided<bool>& wanted, const DataplaneInputs& inputs,
                         const Addressing& addressing, MasqueradeDecision& decision) {
  decision.upstream_dns = wanted.basis;
  if (!wanted.value) return;
  decision.masquerade.upstream_dns = nameservers(inputs, addressing);
  decision.upstream_dns.assumed = true;
  decision.upstream_dns.because +=
      decision.masquerade.upstream_dns.empty()
          ? ", but no document names the nodes' nameservers: none is masqueraded here"
          : fmt::format(", to the nameserver that {} gives its machines", inputs.rules.name);
}

/// natOutgoing of the pools: to an address in no pool a pod's packet goes under the node's.
void decide_calico_masquerade(const manifest::CalicoConfig& config, const DataplaneInputs& inputs,
                              const Addressing& addressing, MasqueradeDecision& decision) {
  Masquerade& masquerade = decision.masquerade;
  masquerade.sources = ipv4_of(addressing.pods.value);
  masquerade.except = masquerade.sources;
  masquerade.limits_ports = true;
  masquerade.random_ports = true;
  decision.sources = {"the IPv4 pool has natOutgoing, with ports 32768 to 65535", kCalicoPool};
  decision.except = {"a pod's address stays towards every pool, here the pods", kCalicoPool};
  if (inputs.overlay.enabled == false) {
    append(masquerade.except, ipv4_of(addressing.nodes.value));
    decision.except = {
        "without an overlay the disabled pool no-snat-for-node-cidr stands beside the pods' pool",
        kCalicoPool, inputs.overlay.basis.assumed};
  }
  decide_upstream_dns(
      snat_to_upstream_dns(config.snat_to_upstream_dns, true, inputs, kCalicoCharts), inputs,
      addressing, decision);
}

/// snat_v4_needs_masquerade. Towards remote nodes a pod's address stays in native routing only.
void decide_cilium_masquerade(const manifest::CiliumConfig& config, const DataplaneInputs& inputs,
                              const Addressing& addressing, const Dataplane& dataplane,
                              MasqueradeDecision& decision) {
  const Decided<bool> dns =
      snat_to_upstream_dns(config.snat_to_upstream_dns, false, inputs, kCiliumCharts);
  decide_upstream_dns(dns, inputs, addressing, decision);
  decision.sources = as_assumed("enableIpv4Masquerade is on by default", kCiliumCharts);
  if (config.ipv4_masquerade) decision.sources = as_given(*config.ipv4_masquerade);
  decision.except = {"nothing is masqueraded", kCiliumCharts};
  if (config.ipv4_masquerade && !config.ipv4_masquerade->value) return;
  Masquerade& masquerade = decision.masquerade;
  const bool by_ebpf = !dns.value && (!config.bpf_masquerade || config.bpf_masquerade->value) &&
                       !(config.snat_out_of_cluster && config.snat_out_of_cluster->value);
  masquerade.sources = ipv4_of(addressing.pods.value);
  masquerade.limits_ports = by_ebpf;
  decision.sources.because +=
      by_ebpf ? ", in eBPF with ports 32768 to 65535" : ", by iptables and with any port";
  masquerade.except = masquerade.sources;
  decision.except = {"a pod's address stays towards pods", kCiliumNat};
  if (dataplane.mode == Mode::Routed) {
    append(masquerade.except, ipv4_of(addressing.nodes.value));
    decision.except.because =
        "ipv4-native-routing-cidr is the pods' range, and in native routing a pod's address stays "
        "towards nodes (for which their range stands)";
  }
}

}  // namespace

MasqueradeDecision decide_masquerade(const DataplaneInputs& inputs, const Addressing& addressing,
                                     const Dataplane& dataplane) {
  MasqueradeDecision decision;
  if (const auto* calico = std::get_if<manifest::CalicoConfig>(&inputs.spec.config)) {
    decide_calico_masquerade(*calico, inputs, addressing, decision);
  } else {
    decide_cilium_masquerade(std::get<manifest::CiliumConfig>(inputs.spec.config), inputs,
                             addressing, dataplane, decision);
  }
  // The rules are the extensions' own, the ranges as sure as the documents make them.
  const bool nodes = decision.masquerade.except.size() > decision.masquerade.sources.size();
  decision.sources.assumed |= addressing.pods.basis.assumed;
  decision.except.assumed |=
      addressing.pods.basis.assumed || (nodes && addressing.nodes.basis.assumed);
  return decision;
}

}  // namespace overlane::effective
