#include "topologies/cni/calico/dataplane.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::calico {
namespace {

using effective::as_assumed;
using effective::as_given;
using effective::Backend;
using effective::Basis;
using effective::Dataplane;
using effective::DataplaneDecision;
using effective::Decided;
using effective::Encapsulation;
using effective::Encryption;
using effective::Mode;
using effective::NetworkInputs;
using effective::OverlayDecision;
using effective::ProviderRules;
using effective::RoutesBy;
using effective::Stage;

constexpr const char* kActuator =
    "gardener-extension-networking-calico/pkg/controller/actuator_reconcile.go";
constexpr const char* kCharts = "gardener-extension-networking-calico/pkg/charts/utils.go";
constexpr const char* kMtuRule = "projectcalico/calico/felix/dataplane/linux/int_dataplane.go";
/// Felix counts 60 bytes for WireGuard over IPv4 (20 + 8 + 32), 80 over IPv6 (40 + 8 + 32).
constexpr std::uint32_t kWireGuardOverhead = 60;
constexpr std::uint32_t kWireGuardOverheadIpv6 = 80;

struct Row {
  const char* name;
  Mode mode;
  Encapsulation encapsulation;
  bool cross_subnet;
  Backend backend;
  RoutesBy routes_by;      ///< CloudRouteTable stands for the provider's native routes.
  std::uint32_t overhead;  ///< Bytes that the encapsulation adds.
  std::uint32_t mtu_cut;   ///< Bytes that Felix takes off for the tunnels that it keeps enabled.
  const char* consequence;
};

constexpr Row kRows[] = {
    {"T1", Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "Calico's own default pool encapsulates always in IPIP"},
    {"T2", Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "the pool encapsulates always in IPIP and the user's backend is ignored"},
    {"T3", Mode::Overlay, Encapsulation::Vxlan, false, Backend::Vxlan, RoutesBy::Felix, 50, 50,
     "the pool encapsulates always in VXLAN"},
    {"T4", Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable, 0, 0,
     "pods are routed without a tunnel and BIRD does not run"},
    {"T5", Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable, 0, 0,
     "pods are routed, but a left-over vxlan.enabled still selects calico-ipam"},
    {"T6", Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel, beside what the cloud routes"},
    {"T7", Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable, 0, 0,
     "backend none: no tunnel and no BIRD"},
    {"T8", Mode::Overlay, Encapsulation::Vxlan, false, Backend::Bird, RoutesBy::Felix, 50, 50,
     "without an overlay key only the default pool turns to VXLAN"},
    {"T9", Mode::Overlay, Encapsulation::Ipip, true, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "IPIP between different subnets only"},
    {"T10", Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 20,
     "BIRD routes without a tunnel, but Felix keeps IPIP enabled and its MTU"},
    // With IPv6 among the families Felix's IPIP is off; D2 is the IPv4 side of a contradiction.
    {"D1", Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable, 0, 0,
     "pods of both families are routed without a tunnel and BIRD does not run"},
    {"D2", Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 0,
     "the IPv4 pool says IPIP while Felix's IPIP is off: the two contradict each other"},
    {"D3", Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable, 0, 0,
     "with IPv6 and no overlay key the extension sets backend none and no pool encapsulates"},
    {"D4", Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel for both families"},
};

const Row& row(std::string_view name) {
  return *std::ranges::find(kRows, name, [](const Row& r) { return std::string_view(r.name); });
}

/// The NetworkConfig's fields as the extension finds them.
struct Settings {
  bool vxlan = false;
  Decided<std::string> backend;
  Decided<std::string> mode;
  Decided<std::string> pool;
};

Decided<std::string> setting(const Field<std::string>& field, const char* fallback) {
  if (field)
    return {field->value,
            {fmt::format("{} is {}", field->path, field->value), field->place.to_string()}};
  return {fallback, as_assumed(fmt::format("the extension's default is {}", fallback), kCharts)};
}

Settings settings(const NetworkConfig& config, const NetworkInputs& inputs) {
  const FamilyConfig ipv4 = config.ipv4 ? config.ipv4->value : FamilyConfig{};
  Settings read{.vxlan = config.vxlan && config.vxlan->value,
                .backend = setting(config.backend, "bird"),
                .mode = setting(ipv4.mode, "Always"),
                .pool = setting(ipv4.pool, "ipip")};
  const ProviderRules& rules = inputs.rules;
  const bool bare = !inputs.spec.provider_config.root();
  if (!rules.backend_none_webhook.empty())
    read.backend = {"none", as_assumed(fmt::format("a webhook of provider {} sets backend none on "
                                                   "every calico Network",
                                                   rules.name),
                                       rules.backend_none_webhook)};
  else if (bare && inputs.stage == Stage::Create && !rules.bare_calico_backend.empty())
    read.backend = {std::string(rules.bare_calico_backend),
                    as_assumed(fmt::format("admission of provider {} writes backend {} into a new "
                                           "shoot without providerConfig",
                                           rules.name, rules.bare_calico_backend),
                               rules.mutator)};
  return read;
}

struct Choice {
  const Row* row = nullptr;
  Basis basis;
};

/// Without an overlay key the extension keeps what the user and its own defaults say.
Choice choose_without_key(const Settings& s, const Basis& overlay) {
  if (s.backend.value == "none") return {&row(s.vxlan ? "T5" : "T7"), s.backend.basis};
  if (s.backend.value != "bird") return {};
  // vxlan.enabled makes the pool VXLAN and its mode Always, whatever ipv4.mode says.
  if (s.vxlan) return {&row("T8"), overlay};
  if (s.mode.value == "Never" || s.mode.value == "Off") return {&row("T10"), s.mode.basis};
  if (s.pool.value == "vxlan") return {&row("T8"), s.pool.basis};
  if (s.mode.value == "CrossSubnet") return {&row("T9"), s.mode.basis};
  return {&row("T1"), overlay};
}

/// With IPv6 among the families the extension writes mode Never and backend none unless the overlay
/// is on; vxlan.enabled would force calico-ipam, which knows no IPv6 here.
Choice choose_with_ipv6(const Settings& s, const OverlayDecision& overlay) {
  if (s.vxlan) return {};
  if (!overlay.enabled) return {&row("D3"), overlay.basis};
  if (*overlay.enabled) return {&row("D2"), overlay.basis};
  return {&row(overlay.pod_routes ? "D4" : "D1"), overlay.basis};
}

Choice choose(const Settings& s, const OverlayDecision& overlay) {
  if (!overlay.enabled) return choose_without_key(s, overlay.basis);
  if (*overlay.enabled) return {&row(s.vxlan ? "T3" : "T2"), overlay.basis};
  if (s.vxlan && overlay.pod_routes) return {};
  if (s.vxlan) return {&row("T5"), overlay.basis};
  return {&row(overlay.pod_routes ? "T6" : "T4"), overlay.basis};
}

Finding in_no_row(const NetworkInputs& inputs, const Settings& s) {
  const bool has_key = inputs.overlay.enabled.has_value();
  std::string combination = "vxlan.enabled with IPv6";
  std::string hint = "remove the vxlan block";
  if (!inputs.families.has(Family::Ipv6) && has_key) {
    combination = "vxlan.enabled with createPodRoutes and without an overlay";
    hint = "remove the vxlan block or set overlay.createPodRoutes: false";
  } else if (!inputs.families.has(Family::Ipv6)) {
    combination = fmt::format("backend {} with pool {} and without an overlay key", s.backend.value,
                              s.pool.value);
    hint = "set overlay.enabled and vxlan.enabled instead of backend";
  }
  return {.rule = "unsupported-combination",
          .message = fmt::format("{}: {} is a combination whose dataplane is not known",
                                 inputs.spec.object.qualified(), combination),
          .object = inputs.spec.object,
          .place = inputs.spec.place,
          .hint = std::move(hint)};
}

Basis with_consequence(const Basis& basis, const Row& chosen) {
  return {fmt::format("{}: {}", basis.because, chosen.consequence), basis.source, basis.assumed};
}

const char* overhead_in_words(const Dataplane& dataplane) {
  if (dataplane.encryption == Encryption::WireGuard)
    return "WireGuard over IPv4: IP 20, UDP 8, WireGuard 32";
  switch (dataplane.encapsulation) {
    case Encapsulation::None:
      return "nothing is added to a packet";
    case Encapsulation::Ipip:
      return "a second IPv4 header (RFC 2003)";
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return "IPv4 20, UDP 8, tunnel header 8, inner Ethernet 14 (RFC 7348)";
  }
  return "";
}

const char* routes_in_words(const Dataplane& dataplane) {
  switch (dataplane.routes_by) {
    case RoutesBy::CloudRouteTable:
      return "no node writes routes to other nodes' pods, so the cloud's route table needs one "
             "per node";
    case RoutesBy::Bgp:
      return dataplane.backend == Backend::None
                 ? "the hosts announce their pods to the fabric by BGP"
                 : "BIRD on every node learns the other nodes' pods by BGP";
    case RoutesBy::Felix:
      return dataplane.encapsulation == Encapsulation::Ipip
                 ? "since Calico 3.33 Felix writes the routes over tunl0, and BIRD none of them"
                 : "Felix writes a route over vxlan.calico for every other node";
    case RoutesBy::CloudInterface:
      return "no node writes routes to other nodes' pods: the cloud hands each node's pod range to "
             "its network interface";
    case RoutesBy::None:
      return "no node writes routes and this provider has no route table: pods on different nodes "
             "do not reach each other";
    case RoutesBy::Cilium:
    case RoutesBy::DirectNodeRoutes:
      break;
  }
  return "";
}

void decide_encryption(const NetworkConfig& config, DataplaneDecision& decision) {
  decision.encryption = as_assumed("wireguardEncryption is not set", kCharts);
  if (!config.wireguard) return;
  decision.encryption = as_given(*config.wireguard);
  if (config.wireguard->value) decision.dataplane.encryption = Encryption::WireGuard;
}

/// "vethMTU is used for the pods' veths and for every tunnel device alike." The veth is one for
/// both families, so that the larger overhead counts.
void decide_mtu(const NetworkConfig& config, const NetworkInputs& inputs, Family family,
                const Row& chosen, DataplaneDecision& decision) {
  Dataplane& dataplane = decision.dataplane;
  const bool encrypted = dataplane.encryption == Encryption::WireGuard;
  const std::uint32_t wire_guard =
      family == Family::Ipv6 ? kWireGuardOverheadIpv6 : kWireGuardOverhead;
  dataplane.overhead_bytes = encrypted ? wire_guard : chosen.overhead;
  std::uint32_t cut = chosen.mtu_cut;
  if (encrypted)
    cut = std::max(cut,
                   inputs.families.has(Family::Ipv6) ? kWireGuardOverheadIpv6 : kWireGuardOverhead);
  dataplane.pod_mtu = inputs.link_mtu > cut ? inputs.link_mtu - cut : 0;
  decision.pod_mtu = as_assumed(
      cut == 0 ? "vethMTU is automatic and no tunnel is enabled: the link MTU"
               : fmt::format("vethMTU is automatic: link MTU {} minus {} for the enabled tunnels",
                             inputs.link_mtu, cut),
      kMtuRule);
  if (config.veth_mtu && config.veth_mtu->value > 0) {
    dataplane.pod_mtu = static_cast<std::uint32_t>(config.veth_mtu->value);
    decision.pod_mtu = {fmt::format("{} is {}, for the pods and every tunnel device alike",
                                    config.veth_mtu->path, config.veth_mtu->value),
                        config.veth_mtu->place.to_string()};
  }
  const bool tunnel = encrypted || dataplane.encapsulation != Encapsulation::None;
  dataplane.tunnel_mtu = tunnel ? dataplane.pod_mtu : 0;
}

/// Gardener's IPv6 pools never encapsulate.
Row row_for(const Row& chosen, Family family) {
  Row row = chosen;
  if (family == Family::Ipv6) {
    row.mode = Mode::Routed;
    row.encapsulation = Encapsulation::None;
    row.overhead = 0;
  }
  return row;
}

DataplaneDecision decide_family(const NetworkConfig& config, const NetworkInputs& inputs,
                                effective::CalicoVersion version, const Choice& choice, bool vxlan,
                                Family family) {
  const Row chosen = row_for(*choice.row, family);
  DataplaneDecision decision{.row = chosen.name};
  Dataplane& dataplane = decision.dataplane;
  dataplane.mode = chosen.mode;
  dataplane.encapsulation = chosen.encapsulation;
  dataplane.cross_subnet = chosen.cross_subnet;
  dataplane.backend = chosen.backend;
  dataplane.routes_by = chosen.routes_by == RoutesBy::CloudRouteTable
                            ? native_routes(inputs.rules, inputs.families, family)
                            : chosen.routes_by;
  if (chosen.encapsulation == Encapsulation::Ipip && version >= effective::kFelixProgramsIpip)
    dataplane.routes_by = RoutesBy::Felix;
  decision.mode = with_consequence(choice.basis, chosen);
  decision.encapsulation = decision.mode;
  if (vxlan && chosen.encapsulation == Encapsulation::Vxlan)
    decision.encapsulation = {fmt::format("{} is true", config.vxlan->path),
                              config.vxlan->place.to_string()};
  decision.backend = decision.mode;
  if (inputs.overlay.pod_routes && inputs.overlay.enabled == false) {
    dataplane.backend = Backend::Bird;
    dataplane.routes_by = RoutesBy::Bgp;
    decision.backend = inputs.overlay.pod_routes_basis;
  }
  decision.routes_by = {routes_in_words(dataplane), kActuator, decision.backend.assumed};
  decide_encryption(config, decision);
  decide_mtu(config, inputs, family, chosen, decision);
  decision.overhead = {overhead_in_words(dataplane), kMtuRule, decision.encapsulation.assumed};
  return decision;
}

}  // namespace

Result<Dataplanes> decide_dataplanes(const NetworkConfig& config, const NetworkInputs& inputs,
                                     effective::CalicoVersion version) {
  const Settings read = settings(config, inputs);
  const Choice choice = inputs.families.has(Family::Ipv6) ? choose_with_ipv6(read, inputs.overlay)
                                                          : choose(read, inputs.overlay);
  if (choice.row == nullptr) return fail(in_no_row(inputs, read));
  const auto decide = [&](Family family) {
    return decide_family(config, inputs, version, choice, read.vxlan, family);
  };
  Dataplanes dataplanes{.primary = decide(inputs.families.primary()), .secondary = {}};
  if (const auto secondary = inputs.families.secondary()) dataplanes.secondary = decide(*secondary);
  return dataplanes;
}

}  // namespace overlane::calico
