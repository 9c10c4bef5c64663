#include "topologies/cni/calico/dataplane.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "topologies/cni/calico/rows.h"
#include "topologies/cni/calico/sources.h"
#include "topologies/effective/cloud_routes.h"

namespace overlane::calico {
namespace {

using cni::DataplaneDecision;
using effective::AddressGap;
using effective::as_assumed;
using effective::as_given;
using effective::Backend;
using effective::Dataplane;
using effective::Encapsulation;
using effective::Encryption;
using effective::Mode;
using effective::NetworkInputs;
using effective::Provenance;
using effective::RoutesBy;

constexpr const char* kMtuRule = "projectcalico/calico felix/dataplane/linux/int_dataplane.go";
/// Felix counts 60 bytes for WireGuard over IPv4 (20 + 8 + 32), 80 over IPv6 (40 + 8 + 32).
constexpr std::uint32_t kWireGuardOverhead = 60;
constexpr std::uint32_t kWireGuardOverheadIpv6 = 80;

Provenance with_consequence(const Provenance& basis, const Row& chosen) {
  return {fmt::format("{}: {}", basis.because, chosen.consequence), basis.source, basis.assumed};
}

const char* overhead_in_words(const Dataplane& dataplane) {
  if (dataplane.is_encrypted())
    return dataplane.overhead_bytes == kWireGuardOverheadIpv6
               ? "WireGuard over IPv6: IP 40, UDP 8, WireGuard 32"
               : "WireGuard over IPv4: IP 20, UDP 8, WireGuard 32";
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
                 : "BIRD on every node learns the other nodes' pod CIDRs by BGP";
    case RoutesBy::Felix:
      if (dataplane.is_encrypted() && dataplane.encapsulation == Encapsulation::None)
        return "Felix routes the pods of every node with a WireGuard key to wireguard.cali, before "
               "any other route";
      return dataplane.encapsulation == Encapsulation::Ipip
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

void decide_encryption(const NetworkConfig& config, DataplaneDecision& decision) {
  decision.encryption = as_assumed("wireguardEncryption is not set", kCharts);
  if (!config.wireguard) return;
  decision.encryption = as_given(*config.wireguard);
  if (config.wireguard->value) decision.dataplane.encryption = Encryption::WireGuard;
}

/// "vethMTU is used for the pods' veths and for every tunnel device alike." The veth is one for
/// both families, so the larger overhead applies.
void decide_mtu(const NetworkConfig& config, const NetworkInputs& inputs, Family family,
                const Row& chosen, DataplaneDecision& decision) {
  Dataplane& dataplane = decision.dataplane;
  const bool encrypted = dataplane.is_encrypted();
  const std::uint32_t wire_guard =
      family == Family::Ipv6 ? kWireGuardOverheadIpv6 : kWireGuardOverhead;
  dataplane.overhead_bytes = encrypted ? wire_guard : chosen.overhead;
  std::uint32_t cut = chosen.mtu_cut;
  if (encrypted)
    cut = std::max(cut,
                   inputs.families.has(Family::Ipv6) ? kWireGuardOverheadIpv6 : kWireGuardOverhead);
  const auto less = [&](std::uint32_t bytes) {
    return inputs.link_mtu.value > bytes ? inputs.link_mtu.value - bytes : 0;
  };
  dataplane.pod_mtu = less(cut);
  dataplane.wireguard_mtu = encrypted ? less(wire_guard) : 0;
  decision.pod_mtu = as_assumed(
      cut == 0 ? "vethMTU is automatic and no tunnel is enabled: the link MTU"
               : fmt::format("vethMTU is automatic: link MTU {} minus {} for the enabled tunnels",
                             inputs.link_mtu.value, cut),
      kMtuRule);
  if (config.veth_mtu && config.veth_mtu->value > 0) {
    dataplane.pod_mtu = static_cast<std::uint32_t>(config.veth_mtu->value);
    if (encrypted) dataplane.wireguard_mtu = dataplane.pod_mtu;
    decision.pod_mtu = {fmt::format("{} is {}, for the pods and every tunnel device alike",
                                    config.veth_mtu->path, config.veth_mtu->value),
                        config.veth_mtu->place};
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

/// Whether the routes to the nodes' pod CIDRs lead to the pods. calico-ipam allocates blocks
/// anywhere in the pod range, of which BIRD and Felix have routes, and nothing else.
AddressGap address_gap(const NetworkConfig& config, const NetworkInputs& inputs, Family family,
                       const Dataplane& dataplane) {
  if (!uses_calico_ipam(config))
    return has_own_ipam_range(config) && !inputs.families.is_dual_stack() ? AddressGap::SharedRange
                                                                          : AddressGap::None;
  const bool by_pod_cidr =
      dataplane.mode == Mode::Routed && !dataplane.is_encrypted() &&
      dataplane.routes_by != RoutesBy::None &&
      (!dataplane.nodes_write_routes() || needs_cloud_routes(inputs, family, dataplane));
  if (!by_pod_cidr || inputs.families.has(Family::Ipv6)) return AddressGap::None;
  return config.vxlan && config.vxlan->value ? AddressGap::LeftOverVxlan : AddressGap::CalicoIpam;
}

DataplaneDecision decide_family(const NetworkConfig& config, const NetworkInputs& inputs,
                                effective::CalicoVersion version, const Choice& choice,
                                Family family) {
  const Row chosen = row_for(*choice.row, family);
  DataplaneDecision decision{.row = std::string(to_string(chosen.id))};
  Dataplane& dataplane = decision.dataplane;
  dataplane.mode = chosen.mode;
  dataplane.encapsulation = chosen.encapsulation;
  dataplane.cross_subnet = chosen.cross_subnet;
  dataplane.backend = chosen.backend;
  dataplane.routes_by = chosen.routes_by == RoutesBy::CloudRouteTable
                            ? effective::native_routes(inputs.provider, inputs.families, family)
                            : chosen.routes_by;
  if (chosen.encapsulation == Encapsulation::Ipip && version >= effective::kFelixProgramsIpip)
    dataplane.routes_by = RoutesBy::Felix;
  decision.mode = with_consequence(choice.basis, chosen);
  decision.encapsulation = decision.mode;
  if (config.vxlan && config.vxlan->value && chosen.encapsulation == Encapsulation::Vxlan)
    decision.encapsulation = {fmt::format("{} is true", config.vxlan->path), config.vxlan->place};
  decision.backend = decision.mode;
  if (inputs.overlay.pod_routes && inputs.overlay.enabled == false) {
    dataplane.backend = Backend::Bird;
    dataplane.routes_by = RoutesBy::Bgp;
    decision.backend = inputs.overlay.pod_routes_basis;
  }
  decide_encryption(config, decision);
  const bool leaves_routes_to_fabric =
      dataplane.routes_by == RoutesBy::CloudRouteTable || dataplane.routes_by == RoutesBy::None;
  if (dataplane.is_encrypted() && leaves_routes_to_fabric) dataplane.routes_by = RoutesBy::Felix;
  dataplane.address_gap = address_gap(config, inputs, family, dataplane);
  decision.routes_by = {routes_in_words(dataplane), kActuator, decision.backend.assumed};
  decide_mtu(config, inputs, family, chosen, decision);
  decision.overhead = {overhead_in_words(dataplane), kMtuRule, decision.encapsulation.assumed};
  return decision;
}

}  // namespace

Result<Dataplanes> decide_dataplanes(const NetworkConfig& config, const NetworkInputs& inputs,
                                     effective::CalicoVersion version) {
  const auto choice = choose_row(config, inputs);
  if (!choice) return fail(choice.error());
  const auto decide = [&](Family family) {
    return decide_family(config, inputs, version, *choice, family);
  };
  Dataplanes dataplanes{.primary = decide(inputs.families.primary()), .secondary = {}};
  if (const auto secondary = inputs.families.secondary()) dataplanes.secondary = decide(*secondary);
  if (choice->row->id == RowId::D2)
    dataplanes.not_modelled_because =
        "with IPv6 and an overlay, calico's IPv4 pool has IPIP while Felix's IPIP is off, and the "
        "resulting node state is not known";
  return dataplanes;
}

}  // namespace overlane::calico
