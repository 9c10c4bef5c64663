#include <algorithm>

#include <fmt/format.h>

#include "topologies/cni/cilium/cilium.h"

// The comparison of a running cluster with the manifest for `check --live`: agents follow the
// ConfigMap cilium-config, so a setting that differs from the derived dataplane means that the
// manifest does not describe this cluster. observe() returns an empty collection; the caller
// decodes each object of kObservedKinds into it and then compares once.
namespace overlane::cilium {

namespace {

using effective::Mode;
using effective::RoutesBy;
using rules::Check;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kConfigMapTemplate =
    "gardener-extension-networking-cilium charts/internal/cilium/charts/config/templates/"
    "configmap.yaml";

/// A shoot and its cluster's ConfigMap cilium-config.
struct ObservedInputs : cni::LiveInputs {
  const cni::Settings& config;
};

void require(const ObservedInputs& in, std::string_view name, std::string_view expected,
             RuleReport& report) {
  const manifest::Located<std::string>* given = cni::find(in.config, name);
  if (given != nullptr && given->value != expected)
    report.add(*given,
               fmt::format("{} is {}, but the manifest requires {}", name, given->value, expected));
}

bool is_overlay(const ObservedInputs& in) {
  return in.expected.dataplane.mode == Mode::Overlay;
}

void check_routing(const ObservedInputs& in, RuleReport& report) {
  require(in, "routing-mode", is_overlay(in) ? "tunnel" : "native", report);
  if (is_overlay(in))
    require(in, "tunnel-protocol", to_string(in.expected.dataplane.encapsulation), report);
}

void check_native_range(const ObservedInputs& in, RuleReport& report) {
  const manifest::Located<std::string>* given = cni::find(in.config, "ipv4-native-routing-cidr");
  if (given == nullptr || is_overlay(in) || in.assumes("pods")) return;
  const auto pods = std::ranges::find_if(in.expected.pods, &IpPrefix::is_ipv4);
  if (pods != in.expected.pods.end() && given->value != pods->to_string())
    report.add(*given, fmt::format("ipv4-native-routing-cidr is {}, but the pods' range is {}",
                                   given->value, pods->to_string()));
}

void check_direct_routes(const ObservedInputs& in, RuleReport& report) {
  const bool direct = in.expected.dataplane.routes_by == RoutesBy::DirectNodeRoutes;
  require(in, "auto-direct-node-routes", direct ? "true" : "false", report);
}

constexpr Check<ObservedInputs> kLiveChecks[] = {
    {{.id = "live-cilium-routing",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Cilium's routing mode or tunnel differs from the manifest.",
      .why =
          "The agents follow their configuration: it decides whether pods' packets are tunnelled.",
      .remedy = "find out why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_routing},
    {{.id = "live-cilium-native-range",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Without a tunnel, cilium's native range is not the pod range.",
      .why = "Packets to addresses outside this range are masqueraded, packets inside are not.",
      .remedy = "find out why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_native_range},
    {{.id = "live-cilium-direct-routes",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::None,
      .title = "Cilium's direct node routes differ from the manifest.",
      .why = "Direct routes bypass the cloud's route table, and need nodes on one link.",
      .remedy = "find out why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_direct_routes},
};

class CiliumObjects final : public cni::ObservedObjects {
 public:
  void decode(const ObjectName& name, const document::Value& root,
              document::Problems& problems) override {
    if (name.name == "cilium-config")
      config_ = cni::settings_of(document::Fields(root, problems).mapping("data"));
  }

  bool empty() const override { return config_.empty(); }

  void compare(const cni::LiveInputs& shoot, std::span<const cni::ObservedNode>,
               RuleReport& report) const override {
    report.run(std::span<const Check<ObservedInputs>>(kLiveChecks), {shoot, config_});
  }

 private:
  cni::Settings config_;
};

std::unique_ptr<cni::ObservedObjects> observe() {
  return std::make_unique<CiliumObjects>();
}

std::vector<const rules::Rule*> live_rules() {
  std::vector<const rules::Rule*> rules;
  list_rules(std::span<const Check<ObservedInputs>>(kLiveChecks), rules);
  return rules;
}

constexpr cni::ObservedKind kObservedKinds[] = {{"ConfigMap", "v1", "v1"}};

}  // namespace

constinit const cni::LiveComparison kLive{.kinds = kObservedKinds,
                                          .objects = "the ConfigMap cilium-config",
                                          .observe = observe,
                                          .rules = live_rules};

}  // namespace overlane::cilium
