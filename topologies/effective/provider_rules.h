#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/families.h"

namespace overlane::effective {

/// What a provider's admission lets through when the IP families hold IPv6.
enum class Ipv6Rule { Any, DualOnly, Forbidden };

/// Whether admission writes an overlay.enabled into a new shoot that has no such key.
enum class NewOverlay {
  Untouched,
  Off,           ///< false, whatever the network type.
  OffForCilium,  ///< false for cilium only.
  ByLandscape,   ///< What the landscape's settings say for the network type.
};

/// For which network types admission turns snatToUpstreamDNS off where the overlay is off.
enum class DnsSnat { Never, ForCalico, ForAll };

/// What one provider does to a Shoot before the network extension sees it, and what its fabric
/// gives the nodes. Rules marked "new" act when a shoot is created, not on a live one.
struct ProviderRules {
  Provider provider = Provider::Other;
  std::string_view name;

  NewOverlay new_overlay = NewOverlay::Untouched;
  std::string_view mutator;           ///< Source of this, and of every rule below without its own.
  std::string_view route_controller;  ///< Who writes the cloud's routes, if anyone; source.

  /// New, no providerConfig at all: the landscape's defaults (metal).
  std::string_view bare_calico_backend;
  std::string_view bare_cilium_tunnel;
  std::optional<std::int64_t> bare_cilium_mtu;
  /// What admission writes where a shoot leaves it out: networking.pods and services,
  /// kubelet.maxPods and nodeCIDRMaskSize.
  std::string_view default_pods;
  std::string_view default_services;
  std::optional<std::uint32_t> default_max_pods;
  std::optional<std::int64_t> default_node_mask;

  /// A webhook on the Network sets calico's backend to none, at every stage.
  std::string_view backend_none_webhook;
  /// calico with overlay.enabled true is refused.
  std::string_view calico_overlay_refused_by;
  /// overlay false without createPodRoutes gets createPodRoutes true.
  bool pod_routes_when_routed = false;
  /// overlay false gets snatToUpstreamDNS.enabled false.
  DnsSnat dns_snat_forced_off = DnsSnat::Never;
  /// The cloud's routes are written only where the key overlay.enabled is false, not for want of
  /// it.
  bool routes_follow_overlay = false;
  /// Nodes of one subnet reach each other's addresses without the cloud's routes: a node may send
  /// pods' packets to another node itself. Elsewhere the cloud routes every packet.
  bool nodes_share_link = false;
  /// The conditions that calico leaves on nodes are cleaned up after the overlay went off.
  bool cleans_up_calico = false;
  /// The infrastructureConfig names a VPC or gives the range of a new one, exactly one of them.
  bool makes_vpcs = false;
  /// networking.nodes is required.
  bool nodes_required = false;
  /// IP protocol 4, which is IPIP, does not get through the fabric; its source.
  std::string_view drops_ipip;
  /// What the fabric gives one flow, where that is less than a node has; its source.
  std::string_view single_flow_cap;
  /// The nameserver that its machines get by DHCP: an address, or an offset in the VPC's range.
  std::string_view nameserver;
  std::uint32_t nameserver_offset = 0;
  Ipv6Rule ipv6 = Ipv6Rule::Any;
  bool ipv6_needs_routed = false;  ///< With IPv6 the overlay must be off.

  RoutesBy native_routes = RoutesBy::CloudRouteTable;  ///< Who carries pods without overlay.
  /// The cloud hands the pod ranges of IPv6, or of both families in dual-stack, to the nodes'
  /// network interfaces (prefix delegation, alias ranges) instead of routing them.
  bool ipv6_by_interface = false;
  bool dual_stack_by_interface = false;
  /// The IPv4 mask of every node in dual-stack, whatever the shoot says; its source.
  std::optional<std::int64_t> dual_stack_node_mask;
  std::string_view dual_stack_node_mask_source;
  RoutingDomain::Scope scope = RoutingDomain::Scope::Vpc;
  /// All its shoots are in one network, whatever they say; its source.
  std::string_view one_network;
  /// Whether an equal network id in two manifests is the same network for sure: names need the
  /// project or subscription to be equal too.
  bool network_id_is_unique = false;
  std::uint32_t link_mtu = 1500;
  std::string_view link_mtu_source;
};

/// Whether snatToUpstreamDNS is turned off in a shoot of this network type without an overlay.
bool forces_dns_snat_off(const ProviderRules& rules, std::string_view network_type);

/// Who carries a family's pods between nodes where no network extension does.
RoutesBy native_routes(const ProviderRules& rules, const Families& families, Family family);

/// The rules of `spec.provider.type`; an unknown or empty name has no rules of its own.
const ProviderRules& rules_of(std::string_view provider_name);
const ProviderRules& rules_of(Provider provider);

}  // namespace overlane::effective
