#include "topologies/cni/calico/rule_tables.h"

namespace overlane::calico {
namespace {

using rules::Check;
using rules::RuleReport;

void check_kube_proxy(const CheckInputs& in, RuleReport& report) {
  const auto& enabled = in.shoot.spec.shoot.kube_proxy_enabled;
  const bool ebpf = in.config.ebpf && in.config.ebpf->value;
  if (enabled && !enabled->value && !ebpf)
    report.add(*enabled, "calico needs kube-proxy unless its eBPF dataplane is on");
}

constexpr Check<CheckInputs> kServiceChecks[] = {
    {{.id = "calico-without-kube-proxy",
      .section = "§1.3",
      .title = "Calico runs without kube-proxy and without its eBPF dataplane.",
      .why = "Without either, service addresses are not translated to pod addresses; the "
             "extension's admission refuses the shoot, and its actuator would fail.",
      .remedy = "set ebpfDataplane.enabled: true in the providerConfig, or enable kube-proxy",
      .source = "gardener-extension-networking-calico pkg/admission/validator/shoot.go"},
     check_kube_proxy},
};

}  // namespace

std::span<const Check<CheckInputs>> service_checks() {
  return kServiceChecks;
}

}  // namespace overlane::calico
