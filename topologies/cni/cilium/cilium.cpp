#include "topologies/cni/cilium/cilium.h"

#include "topologies/cni/cilium/config.h"
#include "topologies/cni/cilium/dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::cilium {
namespace {

using cni::NetworkDecision;
using effective::Decided;
using effective::NetworkInputs;
using effective::ServiceRouting;
using rules::RuleReport;

constexpr const char* kMutator =
    "gardener-extension-networking-cilium pkg/admission/mutator/shoot.go";

class CiliumInstance final : public cni::ExtensionInstance {
 public:
  explicit CiliumInstance(const NetworkInputs& inputs)
      : inputs_(inputs), problems_(inputs.spec.object) {
    config_ = decode(inputs.spec.provider_config.root(), problems_);
  }

  const Findings& config_findings() const override { return problems_.findings(); }

  Result<NetworkDecision> decide() const override {
    const effective::Families& families = inputs_.families;
    NetworkDecision decision{.agent = effective::NodeAgent::CiliumAgent,
                             .row = std::string(row_of(config_, inputs_)),
                             .dataplane = decide_dataplane(config_, inputs_, families.primary()),
                             .secondary = {},
                             .service_routing = service_routing(),
                             .masquerade = {},
                             .reasons = {}};
    if (const auto secondary = families.secondary())
      decision.secondary = decide_dataplane(config_, inputs_, *secondary);
    decision.masquerade = decide_masquerade(config_, inputs_, decision.dataplane.mode.value);
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
                                    "regardless of the manifest",
                                    kMutator)};
    return effective::kube_proxy_routing(shoot);
  }

  const NetworkInputs& inputs_;
  document::Problems problems_;
  NetworkConfig config_;
};

class CiliumExtension final : public cni::NetworkExtension {
 public:
  std::string_view type() const override { return "cilium"; }

  std::unique_ptr<const cni::ExtensionInstance> open(const NetworkInputs& inputs) const override {
    return std::make_unique<CiliumInstance>(inputs);
  }

  std::vector<const rules::Rule*> rules() const override {
    std::vector<const rules::Rule*> rules;
    list_rules(checks(), rules);
    list_rules(lints(), rules);
    return rules;
  }
};

constinit const CiliumExtension kExtension;

}  // namespace

constinit const cni::Profile kCilium{
    .agent = effective::NodeAgent::CiliumAgent,
    .agent_name = "cilium-agent",
    .extension = &kExtension,
    .nodes = &kNodes,
    .live = &kLive,
    .switch_lints = switch_lints,
    .decode_config = [](document::Fields& root) { decode(root.value(), root.problems()); },
    .run = {.scenario = "default-cilium.yaml",
            .wireguard_on = "encryption: {enabled: true, mode: wireguard}",
            .wireguard_off = "encryption: {enabled: false, mode: wireguard}",
            .mtu_probing = {{.value = 1,
                             .source =
                                 "gardener-extension-networking-cilium "
                                 "charts/internal/cilium/charts/config/templates/configmap.yaml: "
                                 "packetization-layer-pmtud-mode blackhole"}}},
    // The DaemonSet replaces pods when the hash of the configuration changes, but the hash is taken
    // from the live config map before the new one is applied (gardener-extension-networking-cilium,
    // pkg/controller/actuator_reconcile.go). The agent removes the devices of other modes (cilium
    // pkg/datapath/loader, setupTunnelDevice).
    .migration = {.routed = R"({"overlay":{"enabled":false},"tunnel":null})",
                  .vxlan = R"({"overlay":{"enabled":true},"tunnel":"vxlan"})",
                  .geneve = R"({"overlay":{"enabled":true},"tunnel":"geneve"})",
                  .start = cni::AgentStart::WholeNode,
                  .daemon_set = "cilium",
                  .pod_selector = "k8s-app=cilium",
                  .configuration = "config map cilium-config",
                  .rolls_next_time = true}};

}  // namespace overlane::cilium
