#include "topologies/cni/cilium/masquerade.h"

#include "topologies/cni/cilium/sources.h"

namespace overlane::cilium {
namespace {

using effective::as_assumed;
using effective::as_given;

constexpr const char* kNat = "cilium/cilium bpf/lib/nat.h";

/// Off by its own switch, and where iptables rules are needed.
bool by_ebpf(const NetworkConfig& config, bool snat_to_dns) {
  const bool wanted = !config.bpf_masquerade || config.bpf_masquerade->value;
  const bool out_of_cluster = config.snat_out_of_cluster && config.snat_out_of_cluster->value;
  return wanted && !snat_to_dns && !out_of_cluster;
}

}  // namespace

cni::MasqueradeDecision decide_masquerade(const NetworkConfig& config,
                                          const effective::NetworkInputs& inputs,
                                          effective::Mode mode) {
  cni::MasqueradeDecision decision;
  const auto dns = cni::snat_to_upstream_dns(config.snat_to_upstream_dns, false, inputs, kCharts);
  cni::decide_upstream_dns(dns, inputs, decision);
  decision.sources = as_assumed("enableIpv4Masquerade is on by default", kCharts);
  if (config.ipv4_masquerade) decision.sources = as_given(*config.ipv4_masquerade);
  decision.except = {"nothing is masqueraded", kNat};
  const bool on = !config.ipv4_masquerade || config.ipv4_masquerade->value;
  if (on) {
    effective::Masquerade& masquerade = decision.masquerade;
    masquerade.sources = cni::ipv4_of(inputs.addressing.pods.value);
    masquerade.in_ebpf = by_ebpf(config, dns.value);
    masquerade.limits_ports = masquerade.in_ebpf;
    decision.sources.because += masquerade.in_ebpf ? ", in eBPF with ports 32768 to 65535"
                                                   : ", by iptables and with any port";
    masquerade.except = masquerade.sources;
    decision.except = {"a pod's address is kept towards pods", kNat};
  }
  if (on && mode == effective::Mode::Routed) {
    cni::except_nodes(inputs.addressing, decision.masquerade);
    decision.except.because =
        "ipv4-native-routing-cidr is the pod range, and in native routing a pod's address is kept "
        "towards nodes (represented by the node range)";
  }
  if (!inputs.families.has(Family::Ipv4))
    decision.sources = {"only IPv4 is masqueraded by default", kCharts};
  const auto& ipv6 = config.ipv6_masquerade;
  if (inputs.families.has(Family::Ipv6) && ipv6 && ipv6->value)
    cni::masquerade_ipv6(inputs.addressing, as_given(*ipv6), mode == effective::Mode::Routed,
                         decision);
  cni::mark_assumed_ranges(inputs.addressing, decision);
  return decision;
}

}  // namespace overlane::cilium
