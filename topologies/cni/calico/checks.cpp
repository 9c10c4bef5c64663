#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/calico/config.h"

// Rules about shoots that the admission or the reconciliation of networking-calico refuses.
namespace overlane::calico {

namespace {

using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

void check_kube_proxy(const CheckInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  const bool ebpf = in.config.ebpf && in.config.ebpf->value;
  if (enabled && !enabled->value && !ebpf)
    report.add(*enabled, "calico needs kube-proxy unless its eBPF dataplane is on");
}

bool has_ipv6(const CheckInputs& in) {
  return in.shoot.families.has(Family::Ipv6);
}

void check_ipam(const CheckInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.config.ipam_type && in.config.ipam_type->value == "calico-ipam")
    report.add(*in.config.ipam_type, "calico-ipam does not support shoots with IPv6");
}

void check_pool(const CheckInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.config.ipv6 && in.config.ipv6->value.pool &&
      in.config.ipv6->value.pool->value == "ipip")
    report.add(*in.config.ipv6->value.pool, "the extension renders no IPv6 pool of kind ipip");
}

void check_mode(const CheckInputs& in, RuleReport& report) {
  if (has_ipv6(in) && in.config.ipv6 && in.config.ipv6->value.mode &&
      in.config.ipv6->value.mode->value == "Off")
    report.add(*in.config.ipv6->value.mode, "the extension renders no IPv6 pool of mode Off");
}

void check_blocks(const CheckInputs& in, RuleReport& report) {
  if (in.config.ipv6 && !has_ipv6(in))
    report.add(*in.config.ipv6,
               fmt::format("{} is given, but the shoot is IPv4-only", in.config.ipv6->path));
  if (in.config.ipv4 && !in.shoot.families.has(Family::Ipv4))
    report.add(*in.config.ipv4,
               fmt::format("{} is given, but the shoot is IPv6-only", in.config.ipv4->path));
}

constexpr Check<CheckInputs> kChecks[] = {
    {{.id = "calico-without-kube-proxy",
      .section = "§1.3",
      .title = "Calico runs without kube-proxy and without its eBPF dataplane.",
      .why = "Without either, service addresses are not translated to pod addresses; the "
             "extension's admission refuses the shoot, and its actuator would fail.",
      .remedy = "set ebpfDataplane.enabled: true in the providerConfig, or enable kube-proxy",
      .source = "gardener-extension-networking-calico pkg/admission/validator/shoot.go"},
     check_kube_proxy},
    {{.id = "calico-ipam-with-ipv6",
      .section = "§1.3",
      .title = "A shoot with IPv6 uses calico-ipam.",
      .why = "The extension's validation refuses the pair: only host-local allocates addresses of "
             "both families from the nodes' pod CIDRs.",
      .remedy = "use ipam.type: host-local",
      .source = "gardener-extension-networking-calico pkg/apis/calico/validation/"
                "networkconfig.go"},
     check_ipam},
    {{.id = "calico-ipv6-pool-ipip",
      .section = "§1.3",
      .enforcer = Enforcer::Reconcile,
      .title = "The IPv6 pool is of kind ipip.",
      .why = "The validation accepts ipip, and the renderer then refuses it: the Network is never "
             "reconciled.",
      .remedy = "remove ipv6.pool",
      .source = kCharts},
     check_pool},
    {{.id = "calico-ipv6-mode-off",
      .section = "§1.3",
      .enforcer = Enforcer::Reconcile,
      .title = "The mode of the IPv6 pool is Off.",
      .why = "The validation accepts Off, and the renderer then refuses it: the Network is never "
             "reconciled.",
      .remedy = "use ipv6.mode: Never",
      .source = kCharts},
     check_mode},
    {{.id = "calico-block-of-absent-family",
      .section = "§2.3",
      .enforcer = Enforcer::Reconcile,
      .title = "The NetworkConfig has a block for an IP family that the shoot lacks.",
      .why = "An ipv6 block in an IPv4-only shoot, or the reverse, is admitted and then fails in "
             "reconciliation.",
      .remedy = "remove the block, or add the family to ipFamilies",
      .source = kCharts},
     check_blocks},
};

}  // namespace

std::span<const Check<CheckInputs>> checks() {
  return kChecks;
}

}  // namespace overlane::calico
