#include <algorithm>

#include <fmt/format.h>

#include "topologies/live/live_tables.h"

namespace overlane::live {
namespace {

using effective::Mode;
using effective::RoutesBy;
using rules::Enforcer;
using rules::RuleReport;

constexpr const char* kConfigMapTemplate =
    "gardener-extension-networking-cilium charts/internal/cilium/charts/config/templates/"
    "configmap.yaml";

const Located<std::string>* find(const LiveInputs& in, std::string_view name) {
  const auto found = in.observed.cilium_config.find(name);
  return found == in.observed.cilium_config.end() ? nullptr : &found->second;
}

void require(const LiveInputs& in, std::string_view name, std::string_view expected,
             RuleReport& report) {
  const Located<std::string>* given = find(in, name);
  if (given != nullptr && given->value != expected)
    report.add(*given,
               fmt::format("{} is {}, but the manifest makes it {}", name, given->value, expected));
}

bool is_overlay(const LiveInputs& in) {
  return in.expected.dataplane.mode == Mode::Overlay;
}

void check_routing(const LiveInputs& in, RuleReport& report) {
  require(in, "routing-mode", is_overlay(in) ? "tunnel" : "native", report);
  if (is_overlay(in))
    require(in, "tunnel-protocol", to_string(in.expected.dataplane.encapsulation), report);
}

void check_native_range(const LiveInputs& in, RuleReport& report) {
  const Located<std::string>* given = find(in, "ipv4-native-routing-cidr");
  if (given == nullptr || is_overlay(in) || in.assumes("pods")) return;
  const auto pods = std::ranges::find_if(in.expected.pods, &IpPrefix::is_ipv4);
  if (pods != in.expected.pods.end() && given->value != pods->to_string())
    report.add(*given, fmt::format("ipv4-native-routing-cidr is {}, but the pods' range is {}",
                                   given->value, pods->to_string()));
}

void check_direct_routes(const LiveInputs& in, RuleReport& report) {
  const bool direct = in.expected.dataplane.routes_by == RoutesBy::DirectNodeRoutes;
  require(in, "auto-direct-node-routes", direct ? "true" : "false", report);
}

constexpr Check<LiveInputs> kCiliumChecks[] = {
    {{.id = "live-cilium-routing",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Cilium's routing mode or tunnel differs from what the manifest yields.",
      .why = "The agents follow their configuration: pods are tunnelled, or not, as it says.",
      .remedy = "see why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_routing},
    {{.id = "live-cilium-native-range",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Without a tunnel, cilium's native range is not the pod range.",
      .why = "What lies outside of it is masqueraded, and what lies inside is not.",
      .remedy = "see why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_native_range},
    {{.id = "live-cilium-direct-routes",
      .section = "§2.5",
      .severity = Severity::Warning,
      .enforcer = Enforcer::Nobody,
      .title = "Cilium's direct node routes differ from what the manifest asks for.",
      .why = "Direct routes go past the cloud's route table, and need nodes on one link.",
      .remedy = "see why the last reconciliation did not write it, or correct the manifest",
      .source = kConfigMapTemplate},
     check_direct_routes},
};

}  // namespace

std::span<const Check<LiveInputs>> cilium_checks() {
  return kCiliumChecks;
}

}  // namespace overlane::live
