#include "topologies/cni/cilium/cilium.h"

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/dataplane.h"
#include "topologies/cni/cilium/kube_proxy.h"
#include "topologies/cni/cilium/masquerade.h"
#include "topologies/cni/cilium/rule_tables.h"
#include "topologies/effective/fabric_decision.h"

namespace overlane::cilium {
namespace {

using cni::NetworkDecision;
using effective::Decided;
using effective::NetworkInputs;
using effective::ServiceRouting;
using rules::RuleReport;

constexpr const char* kMutator =
    "gardener-extension-networking-cilium/pkg/admission/mutator/shoot.go";

class Case final : public cni::ExtensionInstance {
 public:
  explicit Case(const NetworkInputs& inputs) : inputs_(inputs), problems_(inputs.spec.object) {
    config_ = decode(inputs.spec.provider_config.root(), problems_);
  }

  const Findings& config_findings() const override { return problems_.findings(); }

  Result<NetworkDecision> decide() const override {
    const effective::Families& families = inputs_.families;
    NetworkDecision decision{.agent = effective::NodeAgent::CiliumAgent,
                             .dataplane = decide_dataplane(config_, inputs_, families.primary()),
                             .secondary = {},
                             .service_routing = service_routing(),
                             .masquerade = {},
                             .reasons = {}};
    if (const auto secondary = families.secondary())
      decision.secondary = decide_dataplane(config_, inputs_, *secondary);
    decision.masquerade = decide_masquerade(config_, inputs_, decision.dataplane.dataplane.mode);
    return decision;
  }

  void check(RuleReport& report) const override { report.run(checks(), {config_, inputs_}); }

  void lint(const effective::EffectiveDataplane& dataplane, RuleReport& report) const override {
    report.run(lints(), {config_, inputs_, dataplane});
  }

 private:
  Decided<ServiceRouting> service_routing() const {
    const manifest::ShootSpec& shoot = inputs_.spec.shoot;
    if (shoot.kube_proxy_enabled && !shoot.kube_proxy_enabled->value)
      return {ServiceRouting::Cilium, effective::as_given(*shoot.kube_proxy_enabled)};
    if (replaces_kube_proxy(inputs_))
      return {ServiceRouting::Cilium,
              effective::as_assumed("cilium's admission disables kube-proxy in every new shoot, "
                                    "whatever the manifest says",
                                    kMutator)};
    return effective::kube_proxy_routing(shoot);
  }

  const NetworkInputs& inputs_;
  document::Problems problems_;
  NetworkConfig config_;
};

}  // namespace

std::unique_ptr<const cni::ExtensionInstance> Extension::open(const NetworkInputs& inputs) const {
  return std::make_unique<Case>(inputs);
}

std::vector<const rules::Rule*> Extension::rules() const {
  std::vector<const rules::Rule*> rules;
  list_rules(checks(), rules);
  list_rules(lints(), rules);
  return rules;
}

}  // namespace overlane::cilium
