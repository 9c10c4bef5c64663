#include "topologies/cni/calico/calico.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/cni/calico/config.h"
#include "topologies/cni/calico/dataplane.h"
#include "topologies/effective/network_inputs.h"

namespace overlane::calico {
namespace {

using cni::NetworkDecision;
using effective::CalicoVersion;
using effective::Decided;
using effective::NetworkInputs;
using rules::RuleReport;

/// The release of Calico. No Gardener document contains it.
Decided<CalicoVersion> decide_version(const effective::Landscape& landscape) {
  if (landscape.calico_version)
    return {*landscape.calico_version, {"asked for", "landscape.calico.version"}};
  static const std::string kWhy = fmt::format(
      "the release that Gardener's extension ships; from {} on Felix programs the "
      "routes of IPIP pools instead of BIRD",
      to_string(kFelixProgramsIpip));
  return {kShippedCalico,
          effective::as_assumed(effective::LazyText(std::string_view(kWhy)),
                                "gardener-extension-networking-calico imagevector/images.yaml")};
}

/// The lints run in this order.
constexpr rules::RuleTable<LintInputs> kLintTables[] = {
    clean_up_lints,    row_lints,       mtu_lints, ebpf_lints,    ipam_lints,
    overwritten_lints, component_lints, dns_lints, seamless_lints};

class CalicoInstance final : public cni::ExtensionInstance {
 public:
  explicit CalicoInstance(const NetworkInputs& inputs)
      : inputs_(inputs), problems_(inputs.spec.object) {
    config_ = decode(inputs.spec.provider_config.root(), problems_);
  }

  const Findings& config_findings() const override { return problems_.findings(); }

  Result<NetworkDecision> decide() const override {
    const Decided<CalicoVersion> version = decide_version(inputs_.landscape);
    auto dataplanes = decide_dataplanes(config_, inputs_, version.value);
    if (!dataplanes) return fail(std::move(dataplanes.error()));
    NetworkDecision decision{.agent = effective::NodeAgent::CalicoNode,
                             .row = std::string(to_string(dataplanes->row)),
                             .dataplane = std::move(dataplanes->primary),
                             .secondary = std::move(dataplanes->secondary),
                             .service_routing = service_routing(),
                             .masquerade = decide_masquerade(config_, inputs_),
                             .not_modelled_because = dataplanes->not_modelled_because,
                             .reasons = {}};
    add_reason(decision.reasons, "calico_version", to_string(version.value), version.basis);
    return decision;
  }

  void check(RuleReport& report) const override { report.run(checks(), {config_, inputs_}); }

  void lint(const effective::EffectiveDataplane& dataplane, RuleReport& report) const override {
    report.run(rules::RuleTables<LintInputs>(kLintTables), {config_, inputs_, dataplane});
  }

 private:
  Decided<effective::ServiceRouting> service_routing() const {
    if (config_.ebpf && config_.ebpf->value)
      return {effective::ServiceRouting::CalicoEbpf, effective::as_given(*config_.ebpf)};
    return effective::kube_proxy_routing(inputs_.spec.shoot);
  }

  const NetworkInputs& inputs_;
  document::Problems problems_;
  NetworkConfig config_;
};

class CalicoExtension final : public cni::NetworkExtension {
 public:
  std::string_view type() const override { return "calico"; }

  std::unique_ptr<const cni::ExtensionInstance> open(const NetworkInputs& inputs) const override {
    return std::make_unique<CalicoInstance>(inputs);
  }

  std::vector<const rules::Rule*> rules() const override {
    std::vector<const rules::Rule*> rules;
    list_rules(checks(), rules);
    list_rules(rules::RuleTables<LintInputs>(kLintTables), rules);
    return rules;
  }
};

constinit const CalicoExtension kExtension;

}  // namespace

constinit const cni::Profile kCalico{
    .agent = effective::NodeAgent::CalicoNode,
    .agent_name = "calico-node",
    .extension = &kExtension,
    .nodes = &kNodes,
    .live = &kLive,
    .switch_lints = switch_lints,
    .decode_config = [](document::Fields& root) { decode(root.value(), root.problems()); },
    .run = {.scenario = "default-calico.yaml",
            .wireguard_on = "wireguardEncryption: true",
            .wireguard_off = "wireguardEncryption: false",
            .mtu_probing = {}},
    .migration = {.routed = R"({"overlay":{"enabled":false},"vxlan":null})",
                  .ipip = R"({"overlay":{"enabled":true},"vxlan":null})",
                  .vxlan = R"({"overlay":{"enabled":true},"vxlan":{"enabled":true}})",
                  .start = cni::AgentStart::FelixAndBird,
                  .daemon_set = "calico-node",
                  .pod_selector = "k8s-app=calico-node",
                  .configuration = "IPPools and config map",
                  .route_gate = "SeamlessOverlaySwitch"}};

}  // namespace overlane::calico
