#include "topologies/cni/calico/dataplane.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/cni/calico/calico.h"
#include "topologies/cni/calico/config.h"
#include "topologies/cni/extension/masquerade.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::calico {

namespace {

using effective::AddressGap;
using effective::as_assumed;
using effective::as_given;
using effective::Backend;
using effective::Decided;
using effective::DecidedDataplane;
using effective::Encapsulation;
using effective::Encryption;
using effective::Mode;
using effective::NetworkInputs;
using effective::OverlayDecision;
using effective::Provenance;
using effective::RoutesBy;
using effective::Stage;

struct TruthTableRow {
  RowId id;
  effective::Mode mode;
  effective::Encapsulation encapsulation;
  bool cross_subnet;
  effective::Backend backend;
  effective::RoutesBy routes_by;  ///< CloudRouteTable stands for the provider's native routes.
  std::uint32_t overhead;         ///< Bytes that the encapsulation adds.
  std::uint32_t mtu_cut;          ///< Bytes that Felix subtracts for enabled tunnels.
  const char* consequence;
};

struct Choice {
  const TruthTableRow* row = nullptr;
  effective::Provenance basis;
};

constexpr std::string_view kRowNames[] = {"T1", "T2", "T3",  "T4", "T5", "T6", "T7",
                                          "T8", "T9", "T10", "D1", "D2", "D3", "D4"};

constexpr TruthTableRow kRows[] = {
    {RowId::T1, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "Calico's own default pool always encapsulates in IPIP"},
    {RowId::T2, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "the pool always encapsulates in IPIP, regardless of the backend"},
    {RowId::T3, Mode::Overlay, Encapsulation::Vxlan, false, Backend::Vxlan, RoutesBy::Felix, 50, 50,
     "the pool always encapsulates in VXLAN"},
    {RowId::T4, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods are routed without a tunnel and BIRD does not run"},
    {RowId::T5, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods are routed, but a left-over vxlan.enabled still selects calico-ipam"},
    {RowId::T6, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel, in addition to the cloud's routes"},
    {RowId::T7, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "there is no tunnel, and BIRD does not run"},
    {RowId::T8, Mode::Overlay, Encapsulation::Vxlan, false, Backend::Bird, RoutesBy::Felix, 50, 50,
     "without an overlay key, only the default pool becomes VXLAN"},
    {RowId::T9, Mode::Overlay, Encapsulation::Ipip, true, Backend::Bird, RoutesBy::Bgp, 20, 20,
     "IPIP between different subnets only"},
    {RowId::T10, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 20,
     "BIRD routes without a tunnel, but Felix keeps IPIP enabled and its MTU"},
    // With IPv6 among the families, Felix's IPIP is off; in D2 the IPv4 pool contradicts that.
    {RowId::D1, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "pods of both families are routed without a tunnel and BIRD does not run"},
    {RowId::D2, Mode::Overlay, Encapsulation::Ipip, false, Backend::Bird, RoutesBy::Bgp, 20, 0,
     "the IPv4 pool has IPIP while Felix's IPIP is off: the two contradict each other"},
    {RowId::D3, Mode::Routed, Encapsulation::None, false, Backend::None, RoutesBy::CloudRouteTable,
     0, 0, "with IPv6 and no overlay key the extension sets backend none and no pool encapsulates"},
    {RowId::D4, Mode::Routed, Encapsulation::None, false, Backend::Bird, RoutesBy::Bgp, 0, 0,
     "BIRD writes host routes without a tunnel for both families"},
};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].id != static_cast<RowId>(i)) return false;
  return std::size(kRows) == std::size(kRowNames);
}
static_assert(rows_are_in_order());

constexpr const TruthTableRow& row(RowId id) {
  return kRows[static_cast<std::size_t>(id)];
}

/// The NetworkConfig's fields as the extension reads them.
struct Settings {
  bool vxlan = false;
  Decided<std::string> backend;
  Decided<std::string> mode;
  Decided<std::string> pool;
};

Decided<std::string> setting(const Field<std::string>& field, const char* fallback,
                             const char* because) {
  if (field)
    return {field->value, {fmt::format("{} is {}", field->path, field->value), field->place}};
  return {fallback, as_assumed(because, kCharts)};
}

Settings settings(const NetworkConfig& config, const NetworkInputs& inputs) {
  const FamilyConfig ipv4 = config.ipv4 ? config.ipv4->value : FamilyConfig{};
  Settings read{.vxlan = config.vxlan && config.vxlan->value,
                .backend = setting(config.backend, "bird", "the extension's default is bird"),
                .mode = setting(ipv4.mode, "Always", "the extension's default is Always"),
                .pool = setting(ipv4.pool, "ipip", "the extension's default is ipip")};
  const provider::Profile& provider = inputs.provider;
  const bool bare = !inputs.spec.provider_config.root();
  if (!provider.admission.backend_none_webhook.empty())
    read.backend = {"none", as_assumed(fmt::format("a webhook of provider {} sets backend none on "
                                                   "every calico Network",
                                                   provider.name),
                                       provider.admission.backend_none_webhook)};
  else if (bare && inputs.stage == Stage::Create && !provider.admission.bare_calico_backend.empty())
    read.backend = {std::string(provider.admission.bare_calico_backend),
                    as_assumed(fmt::format("admission of provider {} writes backend {} into a new "
                                           "shoot without providerConfig",
                                           provider.name, provider.admission.bare_calico_backend),
                               provider.admission.mutator)};
  return read;
}

/// Chooses the row without an overlay key: the extension keeps the user's values and its own
/// defaults.
Choice choose_without_key(const Settings& s, const Provenance& overlay) {
  if (s.backend.value == "none") return {&row(s.vxlan ? RowId::T5 : RowId::T7), s.backend.basis};
  if (s.backend.value != "bird") return {};
  // vxlan.enabled makes the pool VXLAN and its mode Always, regardless of ipv4.mode.
  if (s.vxlan) return {&row(RowId::T8), overlay};
  if (s.mode.value == "Never" || s.mode.value == "Off") return {&row(RowId::T10), s.mode.basis};
  if (s.pool.value == "vxlan") return {&row(RowId::T8), s.pool.basis};
  if (s.mode.value == "CrossSubnet") return {&row(RowId::T9), s.mode.basis};
  return {&row(RowId::T1), overlay};
}

/// Chooses the row with IPv6 among the families: the extension writes mode Never and backend none
/// unless the overlay is on; vxlan.enabled would force calico-ipam, which the extension does not
/// support with IPv6.
Choice choose_with_ipv6(const Settings& s, const OverlayDecision& overlay) {
  if (s.vxlan) return {};
  if (!overlay.enabled) return {&row(RowId::D3), overlay.basis};
  if (*overlay.enabled) return {&row(RowId::D2), overlay.basis};
  return {&row(overlay.pod_routes ? RowId::D4 : RowId::D1), overlay.basis};
}

Choice choose(const Settings& s, const OverlayDecision& overlay) {
  if (!overlay.enabled) return choose_without_key(s, overlay.basis);
  if (*overlay.enabled) return {&row(s.vxlan ? RowId::T3 : RowId::T2), overlay.basis};
  if (s.vxlan && overlay.pod_routes) return {};
  if (s.vxlan) return {&row(RowId::T5), overlay.basis};
  return {&row(overlay.pod_routes ? RowId::T6 : RowId::T4), overlay.basis};
}

/// A combination without a row, and how to avoid it.
struct UnsupportedCombination {
  std::string combination;
  std::string hint;
};

UnsupportedCombination with_vxlan(const NetworkInputs& inputs) {
  if (inputs.families.has(Family::Ipv6))
    return {"vxlan.enabled with IPv6", "remove the vxlan block"};
  const auto& block = inputs.overlay.given;
  if (block && block->value.create_pod_routes)
    return {"vxlan.enabled with createPodRoutes and without an overlay",
            "remove the vxlan block, or set overlay.createPodRoutes: false"};
  return {fmt::format("vxlan.enabled without an overlay, with the createPodRoutes: true that "
                      "admission of provider {} adds,",
                      inputs.provider.name),
          "remove the left-over vxlan block, or set overlay.enabled: true"};
}

template <typename T>
Finding no_row_at(const Field<T>& field, const NetworkInputs& inputs,
                  const UnsupportedCombination& unknown) {
  return {.rule = "unsupported-combination",
          .message = fmt::format("{}: {} is a combination whose dataplane is not known",
                                 inputs.spec.object.qualified(), unknown.combination),
          .object = inputs.spec.object,
          .path = field ? field->path : "",
          .place = field ? field->place : inputs.spec.place,
          .hint = unknown.hint};
}

Finding in_no_row(const NetworkConfig& config, const NetworkInputs& inputs, const Settings& s) {
  if (s.vxlan && (inputs.overlay.enabled || inputs.families.has(Family::Ipv6)))
    return no_row_at(config.vxlan, inputs, with_vxlan(inputs));
  return no_row_at(config.backend, inputs,
                   {fmt::format("backend {} with pool {} and without an overlay key",
                                s.backend.value, s.pool.value),
                    "set overlay.enabled and vxlan.enabled instead of backend"});
}

/// The row that results from the extension's order of decisions. Fails with
/// "unsupported-combination" if there is none.
Result<Choice> choose_row(const NetworkConfig& config, const NetworkInputs& inputs) {
  const Settings read = settings(config, inputs);
  Choice choice = inputs.families.has(Family::Ipv6) ? choose_with_ipv6(read, inputs.overlay)
                                                    : choose(read, inputs.overlay);
  if (choice.row == nullptr) return fail(in_no_row(config, inputs, read));
  return choice;
}

constexpr const char* kMtuRule = "projectcalico/calico felix/dataplane/linux/int_dataplane.go";
/// Felix counts 60 bytes for WireGuard over IPv4 (20 + 8 + 32), 80 over IPv6 (40 + 8 + 32).
constexpr std::uint32_t kWireGuardOverhead = 60;
constexpr std::uint32_t kWireGuardOverheadIpv6 = 80;

Provenance with_consequence(const Provenance& basis, const TruthTableRow& chosen) {
  return {fmt::format("{}: {}", basis.because, chosen.consequence), basis.source, basis.assumed};
}

const char* overhead_in_words(const DecidedDataplane& dataplane) {
  if (dataplane.is_encrypted())
    return dataplane.overhead_bytes.value == kWireGuardOverheadIpv6
               ? "WireGuard over IPv6: IP 40, UDP 8, WireGuard 32"
               : "WireGuard over IPv4: IP 20, UDP 8, WireGuard 32";
  switch (dataplane.encapsulation.value) {
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

const char* routes_in_words(const DecidedDataplane& dataplane) {
  switch (dataplane.routes_by.value) {
    case RoutesBy::CloudRouteTable:
      return "no node writes routes to other nodes' pods, so the cloud's route table needs one "
             "per node";
    case RoutesBy::Bgp:
      return dataplane.backend.value == Backend::None
                 ? "the hosts announce their pods to the fabric by BGP"
                 : "BIRD on every node learns the other nodes' pod CIDRs by BGP";
    case RoutesBy::Felix:
      if (dataplane.is_encrypted() && dataplane.encapsulation.value == Encapsulation::None)
        return "Felix routes the pods of every node with a WireGuard key to wireguard.cali, before "
               "any other route";
      return dataplane.encapsulation.value == Encapsulation::Ipip
                 ? "since Calico 3.33 Felix writes the routes over tunl0 instead of BIRD"
                 : "Felix writes a route over vxlan.calico for every other node";
    case RoutesBy::CloudInterface:
      return "no node writes routes to other nodes' pods: the cloud assigns each node's pod CIDR "
             "to its network interface";
    case RoutesBy::None:
      return "no node writes routes and this provider has no route table: pods on different nodes "
             "do not reach each other";
    case RoutesBy::Cilium:
    case RoutesBy::DirectNodeRoutes:
      break;
  }
  return "";
}

Decided<Encryption> decide_encryption(const NetworkConfig& config) {
  if (!config.wireguard)
    return {Encryption::None, as_assumed("wireguardEncryption is not set", kCharts)};
  return {config.wireguard->value ? Encryption::WireGuard : Encryption::None,
          as_given(*config.wireguard)};
}

/// Decides the pods' MTU: "vethMTU is used for the pods' veths and for every tunnel device alike."
/// Both families share the veth, so the larger overhead applies.
void decide_mtu(const NetworkConfig& config, const NetworkInputs& inputs, Family family,
                const TruthTableRow& chosen, DecidedDataplane& dataplane) {
  const bool encrypted = dataplane.is_encrypted();
  const std::uint32_t wire_guard =
      family == Family::Ipv6 ? kWireGuardOverheadIpv6 : kWireGuardOverhead;
  dataplane.overhead_bytes.value = encrypted ? wire_guard : chosen.overhead;
  dataplane.overhead_bytes.basis = {overhead_in_words(dataplane), kMtuRule,
                                    dataplane.encapsulation.basis.assumed};
  std::uint32_t cut = chosen.mtu_cut;
  if (encrypted)
    cut = std::max(cut,
                   inputs.families.has(Family::Ipv6) ? kWireGuardOverheadIpv6 : kWireGuardOverhead);
  const auto less = [&](std::uint32_t bytes) {
    return inputs.link_mtu.value > bytes ? inputs.link_mtu.value - bytes : 0;
  };
  dataplane.wireguard_mtu = encrypted ? less(wire_guard) : 0;
  dataplane.pod_mtu = {
      less(cut),
      as_assumed(
          cut == 0
              ? "vethMTU is automatic and no tunnel is enabled: the link MTU"
              : fmt::format("vethMTU is automatic: link MTU {} minus {} for the enabled tunnels",
                            inputs.link_mtu.value, cut),
          kMtuRule)};
  if (config.veth_mtu && config.veth_mtu->value > 0) {
    dataplane.pod_mtu = {static_cast<std::uint32_t>(config.veth_mtu->value),
                         {fmt::format("{} is {}, for the pods and every tunnel device alike",
                                      config.veth_mtu->path, config.veth_mtu->value),
                          config.veth_mtu->place}};
    if (encrypted) dataplane.wireguard_mtu = dataplane.pod_mtu.value;
  }
  const bool tunnel = encrypted || dataplane.encapsulation.value != Encapsulation::None;
  dataplane.tunnel_mtu = tunnel ? dataplane.pod_mtu.value : 0;
}

/// The row as it applies to one family: Gardener's IPv6 pools never encapsulate.
TruthTableRow row_for(const TruthTableRow& chosen, Family family) {
  TruthTableRow row = chosen;
  if (family == Family::Ipv6) {
    row.mode = Mode::Routed;
    row.encapsulation = Encapsulation::None;
    row.overhead = 0;
  }
  return row;
}

/// Whether the routes to the nodes' pod CIDRs lead to the pods. calico-ipam allocates blocks
/// anywhere in the pod range, and only BIRD and Felix have routes to them.
AddressGap address_gap(const NetworkConfig& config, const NetworkInputs& inputs, Family family,
                       const DecidedDataplane& dataplane) {
  if (!uses_calico_ipam(config))
    return has_own_ipam_range(config) && !inputs.families.is_dual_stack() ? AddressGap::SharedRange
                                                                          : AddressGap::None;
  const bool by_pod_cidr =
      dataplane.mode.value == Mode::Routed && !dataplane.is_encrypted() &&
      dataplane.routes_by.value != RoutesBy::None &&
      (!dataplane.nodes_write_routes() || needs_cloud_routes(inputs, family, values_of(dataplane)));
  if (!by_pod_cidr || inputs.families.has(Family::Ipv6)) return AddressGap::None;
  return config.vxlan && config.vxlan->value ? AddressGap::LeftOverVxlan : AddressGap::CalicoIpam;
}

DecidedDataplane decide_family(const NetworkConfig& config, const NetworkInputs& inputs,
                               effective::CalicoVersion version, const Choice& choice,
                               Family family) {
  const TruthTableRow chosen = row_for(*choice.row, family);
  const Provenance basis = with_consequence(choice.basis, chosen);
  DecidedDataplane dataplane{.mode = {chosen.mode, basis},
                             .encapsulation = {chosen.encapsulation, basis},
                             .backend = {chosen.backend, basis},
                             .encryption = decide_encryption(config)};
  if (config.vxlan && config.vxlan->value && chosen.encapsulation == Encapsulation::Vxlan)
    dataplane.encapsulation.basis = {fmt::format("{} is true", config.vxlan->path),
                                     config.vxlan->place};
  dataplane.cross_subnet = {chosen.cross_subnet, dataplane.encapsulation.basis};
  RoutesBy& routes_by = dataplane.routes_by.value;
  routes_by = chosen.routes_by == RoutesBy::CloudRouteTable
                  ? effective::native_routes(inputs.provider, inputs.families, family)
                  : chosen.routes_by;
  if (chosen.encapsulation == Encapsulation::Ipip && version >= kFelixProgramsIpip)
    routes_by = RoutesBy::Felix;
  if (inputs.overlay.pod_routes && inputs.overlay.enabled == false) {
    dataplane.backend = {Backend::Bird, inputs.overlay.pod_routes_basis};
    routes_by = RoutesBy::Bgp;
  }
  const bool leaves_routes_to_fabric =
      routes_by == RoutesBy::CloudRouteTable || routes_by == RoutesBy::None;
  if (dataplane.is_encrypted() && leaves_routes_to_fabric) routes_by = RoutesBy::Felix;
  dataplane.routes_by.basis = {routes_in_words(dataplane), kActuator,
                               dataplane.backend.basis.assumed};
  dataplane.address_gap = address_gap(config, inputs, family, dataplane);
  decide_mtu(config, inputs, family, chosen, dataplane);
  return dataplane;
}

constexpr const char* kPool =
    "gardener-extension-networking-calico "
    "charts/internal/calico/templates/ippool/ippool.yaml";

}  // namespace

std::string_view to_string(RowId id) {
  return kRowNames[static_cast<std::size_t>(id)];
}

Result<Dataplanes> decide_dataplanes(const NetworkConfig& config, const NetworkInputs& inputs,
                                     effective::CalicoVersion version) {
  const auto choice = choose_row(config, inputs);
  if (!choice) return fail(choice.error());
  const auto decide = [&](Family family) {
    return decide_family(config, inputs, version, *choice, family);
  };
  Dataplanes dataplanes{
      .row = choice->row->id, .primary = decide(inputs.families.primary()), .secondary = {}};
  if (const auto secondary = inputs.families.secondary()) dataplanes.secondary = decide(*secondary);
  if (choice->row->id == RowId::D2)
    dataplanes.not_modelled_because =
        "with IPv6 and an overlay, calico's IPv4 pool has IPIP while Felix's IPIP is off, and the "
        "resulting node state is not known";
  return dataplanes;
}

effective::Decided<bool> decide_dns_snat(const NetworkConfig& config,
                                         const effective::NetworkInputs& inputs) {
  const bool counts = inputs.overlay.enabled == false;
  return cni::snat_to_upstream_dns(counts ? config.snat_to_upstream_dns : std::nullopt, true,
                                   inputs, kCharts);
}

effective::DecidedMasquerade decide_masquerade(const NetworkConfig& config,
                                               const effective::NetworkInputs& inputs) {
  const std::vector<IpPrefix> pods = cni::ipv4_of(inputs.addressing.pods.value);
  effective::DecidedMasquerade masquerade{
      .sources = {pods,
                  {inputs.families.has(Family::Ipv4)
                       ? "the IPv4 pool has natOutgoing, with ports 32768 to 65535"
                       : "only an IPv4 pool has natOutgoing by default",
                   kPool}},
      .except = {pods, {"a pod's address is kept towards every pool, here the pod range", kPool}},
      .limits_ports = true,
      .random_ports = true};
  if (inputs.overlay.enabled == false) {
    cni::except_nodes(inputs.addressing, masquerade);
    masquerade.except.basis = {
        "without an overlay, the disabled pool no-snat-for-node-cidr keeps pod addresses towards "
        "nodes",
        kPool, inputs.overlay.basis.assumed};
  }
  const auto& ipv6 = config.ipv6;
  if (inputs.families.has(Family::Ipv6) && ipv6 && ipv6->value.source_nat &&
      ipv6->value.source_nat->value)
    cni::masquerade_ipv6(inputs.addressing, effective::as_given(*ipv6->value.source_nat), false,
                         masquerade);
  cni::decide_upstream_dns(decide_dns_snat(config, inputs), inputs, masquerade);
  cni::mark_assumed_ranges(inputs.addressing, masquerade);
  return masquerade;
}

}  // namespace overlane::calico
