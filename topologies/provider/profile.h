#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace overlane::provider {

/// The providers with a profile of their own (one file of this folder each); all else is Other.
enum class Provider {
  Other,
  Aws,
  Gcp,
  Azure,
  OpenStack,
  AliCloud,
  Metal,
  Local,
  Stackit,
  Hcloud,
};

/// What a provider's admission lets through when the IP families hold IPv6.
enum class Ipv6Rule { Any, DualOnly, Forbidden };

/// Whether admission writes an overlay.enabled into a new shoot that has no such key.
enum class NewOverlay {
  Untouched,
  Off,                    ///< false, whatever the network type.
  OffForCalicoAndCilium,  ///< false for these two only.
  OffForCilium,           ///< false for cilium only.
  ByLandscape,            ///< What the landscape's settings say for calico and for cilium.
};

/// For which network types admission turns snatToUpstreamDNS off where the overlay is off.
enum class DnsSnat { Never, ForCalico, ForCalicoAndCilium };

/// What the provider's admission does to a Shoot before the network extension sees it. Rules marked
/// "new" act when a shoot is created, not on a live one.
struct Admission {
  NewOverlay new_overlay = NewOverlay::Untouched;
  /// Whether it writes an overlay.enabled into a new shoot of this network type.
  bool writes_new_overlay_of(std::string_view network_type) const {
    switch (new_overlay) {
      case NewOverlay::Untouched:
        return false;
      case NewOverlay::Off:
        return true;
      case NewOverlay::OffForCilium:
        return network_type == "cilium";
      case NewOverlay::OffForCalicoAndCilium:
      case NewOverlay::ByLandscape:
        return network_type == "calico" || network_type == "cilium";
    }
    return false;
  }
  std::string_view mutator;  ///< Source of this, and of every rule below without its own.
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
  bool forces_dns_snat_off(std::string_view network_type) const {
    return (dns_snat_forced_off != DnsSnat::Never && network_type == "calico") ||
           (dns_snat_forced_off == DnsSnat::ForCalicoAndCilium && network_type == "cilium");
  }
  bool nodes_required = false;  ///< networking.nodes.
  Ipv6Rule ipv6 = Ipv6Rule::Any;
  bool ipv6_needs_routed = false;  ///< With IPv6 the overlay must be off.
  /// The IPv4 mask of every node in dual-stack, whatever the shoot says; its source.
  std::optional<std::int64_t> dual_stack_node_mask;
  std::string_view dual_stack_node_mask_source;
};

/// What the provider's validator asks of an infrastructureConfig
/// (pkg/apis/<provider>/validation/infrastructure.go).
struct Infrastructure {
  bool subnets_within_network = false;  ///< And nodes, in the VPC's or vnet's own range, if given.
  bool workers_within_nodes = false;    ///< Workers' subnets lie in the nodes' range.
  bool subnets_disjoint = false;        ///< The zones' subnets, mutually.
  bool pods_outside_network = false;    ///< Pods and services lie outside the network's range.
  bool pods_outside_subnets = false;    ///< Pods and services lie outside each subnet.
  bool internal_apart = false;          ///< The internal range lies outside everything else.
  bool names_or_gives_vpc = false;      ///< A VPC's id or the range of a new one, exactly one.
  bool zones_required = false;          ///< Where a VPC is named or given.
  bool one_workers_subnet = false;      ///< It gives the range of one subnet for the workers.
  bool router_required = false;         ///< Of an existing VPC.
  bool mtu_of_new_network_only = false;
  bool has_resource_groups = false;        ///< Networks are named in a resource group.
  bool dual_stack_needs_networks = false;  ///< networks.ipv6.
  bool switches_dual_stack = false;        ///< dualStack.enabled false leaves IPv6 out.
  // What an update may not change.
  bool vpc_fixed = false;           ///< Nor may zones be removed or their subnets changed.
  bool network_only_grows = false;  ///< The vnet's range.
  bool workers_only_grow = false;
  bool mtu_fixed = false;
  bool network_fixed = false;      ///< Network, subnets, workers and floating pool.
  bool route_table_fixed = false;  ///< The choice of an own route table.
};

/// By what pods of routed shoots reach other nodes where no network extension carries them.
enum class PodPath { RouteTable, Bgp, None };

/// How many routes one table, network or router holds. Documents disagree, so that there are two
/// numbers.
struct RouteQuota {
  std::int64_t usual = 0;  ///< 0: no document says.
  std::string_view source;
  std::int64_t lowest = 0;  ///< What another document says; 0: none says less.
  std::string_view lowest_source;
  /// Those that are no node's and count against it: each provider counts the local and the default
  /// route, or one, or neither.
  std::int64_t own_routes = 0;
  std::string_view holder;  ///< "route table".
};

/// What becomes of a route table that the controllers of two shoots write.
struct SharedTable {
  /// A controller deletes unknown routes inside its shoot's pod ranges. Else each leaves the
  /// other's routes alone, and of one destination the last route counts.
  bool deletes_foreign = false;
  /// The table holds both routes to one destination, and each packet takes one by its hash.
  bool keeps_both = false;
  /// For witnesses; `{}`: the shoot whose route counts.
  std::string_view outcome =
      "both shoots' nodes announce the destination, and the network takes what {} announces";
};

/// How a cloud allocates IPv6 pod ranges to the nodes' interfaces, out of the nodes' subnets.
struct Ipv6Delegation {
  std::uint8_t interface_length = 0;  ///< Of what an interface gets.
  std::uint8_t pod_cidr_length = 0;   ///< Of node.spec.podCIDRs: the first one in it.
  bool holds_node_address = false;    ///< The first address in it is the node's own.
};

/// Who writes routes to pods, when, and where they stand.
struct Routes {
  PodPath pods = PodPath::RouteTable;
  std::string_view controller;  ///< Who writes the cloud's routes, if anyone; source.
  /// They are written only where the key overlay.enabled is false, not for want of it.
  bool follow_overlay = false;
  bool table_per_zone = false;
  bool table_per_subnet = false;  ///< Subnets have route tables; else there is one for the network.
  bool has_system_table = false;  ///< Of the VPC, where the shoot asks for no table of its own.
  std::optional<RouteQuota> quota;    ///< Nothing: no table holds routes of nodes.
  bool families_share_quota = false;  ///< Routes of both families stand in one list.
  /// How many routes one node has in a list, if it has one of each of these families.
  std::int64_t of_node(bool ipv4, bool ipv6) const {
    return families_share_quota && ipv4 && ipv6 ? 2 : 1;
  }
  bool written_one_by_one = false;  ///< One node after the other.
  std::size_t name_length = 0;      ///< Characters of the technical id in a route's name; 0: none.
  /// Nodes of one subnet reach each other's addresses without the cloud's routes: a node may send
  /// pods' packets to another node itself. Elsewhere the cloud routes every packet.
  bool nodes_share_link = false;
  bool nodes_share_subnet = false;  ///< One subnet serves all zones of a shoot.
  SharedTable shared;
  /// The conditions that calico leaves on nodes are cleaned up after the overlay went off.
  bool cleans_up_calico = false;
  /// The cloud allocates the pod ranges of IPv6, or of both families in dual-stack, to the nodes'
  /// network interfaces (prefix delegation, alias ranges) instead of routing them.
  std::optional<Ipv6Delegation> ipv6_delegation;
  bool dual_stack_by_interface = false;
};

enum class RouteScope { Vpc, Table, Router };

/// One rule of the group that Gardener's infrastructure controller makes for a shoot's nodes.
struct FilterRule {
  enum class From : std::uint8_t {
    Anywhere,
    Pods,          ///< The shoot's IPv4 pods …
    Nodes,         ///< … or nodes …
    PodsAndNodes,  ///< … or both.
    NodesAndServicesIpv6,
    GroupInterfaces,  ///< Members of the group, by their interfaces.
    GroupAddresses,   ///< Members of the group, by their addresses.
  };
  struct Ports {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
  };
  From from = From::Anywhere;
  std::span<const std::uint8_t> protocols;  ///< IP protocol numbers; empty: all.
  std::span<const Ports> ports;             ///< Empty: all.
};

struct Filter {
  std::string_view name;        ///< Behind or around the shoot's: "{}-nodes".
  bool every_instance = false;  ///< It concerns the whole VPC, not only the shoot's nodes.
  std::span<const FilterRule> rules;
};

/// A range that the cloud keeps for itself in every network.
struct ReservedRange {
  std::string_view cidr;
  std::string_view owner;  ///< And what for.
};

/// How long packets travel between two nodes: one way, without load, in microseconds.
struct PathLatency {
  std::uint32_t within_zone = 20;
  std::string_view within_zone_range = "10 to 100 µs";
  std::uint32_t across_zones = 500;
  std::string_view across_zones_range = "200 to 1000 µs";
  std::string_view source = "assumed: no public document of a provider states it";
};

/// What the network between nodes carries.
struct Fabric {
  RouteScope scope = RouteScope::Vpc;  ///< Which shoots could see each other's routes.
  /// All its shoots are in one network, whatever they say; its source.
  std::string_view one_network;
  bool names_networks = false;  ///< A manifest gives the id of an existing network.
  /// Whether an equal network id in two manifests is the same network for sure: names need the
  /// project or subscription to be equal too.
  bool network_id_is_unique = false;
  std::uint32_t link_mtu = 1500;  ///< IP MTU, bytes.
  std::string_view link_mtu_source = "Ethernet default";
  PathLatency latency;
  std::span<const std::uint8_t> dropped_protocols;  ///< IP protocol numbers it does not carry.
  std::string_view dropped_protocols_source;
  /// Anti-spoofing stays on and the pod range is listed as allowed (OpenStack's allowed address
  /// pairs), instead of being switched off (AWS source/destination check, IP forwarding of Azure
  /// and GCP).
  bool allows_pod_range_only = false;
  /// Requests for link-layer addresses (ARP, neighbour discovery) are answered inside the sender's
  /// subnet only.
  bool answers_within_subnet_only = false;
  /// Beside the default route, this prefix leads out of the VPC, too.
  std::string_view ipv6_egress;
  bool pods_without_ipv6 = false;  ///< Load balancers get it, pods do not.
  // As the fields of these names in node::FabricState.
  bool drops_disordered_fragments = false;
  bool honours_next_hop = true;
  bool protects_subnets = false;
  std::uint8_t decrementing_hops = 0;
  /// A route inside the network's own range is accepted only for the very range of a subnet.
  bool keeps_local_routes = false;
  std::optional<Filter> filter;  ///< Nothing: what is there lets the shoot's own traffic through.
  bool ipip_within_group_only = false;  ///< By the group's default, no rule.
  std::string_view closed_ports;        ///< "23 and 514".
  std::optional<ReservedRange> reserved;
};

/// The machines that nodes run on, and their network interfaces.
struct Machines {
  std::string_view nic;  ///< The usual driver; empty: not known.
  /// Whether the driver lets the NIC segment inside IPIP and inside UDP tunnels.
  bool segments_in_tunnels = false;
  std::optional<std::uint64_t> single_flow;  ///< Most bits/s of one flow.
  std::string_view single_flow_source;
  std::string_view single_flow_range;  ///< Values that other machines or settings get.
  std::string_view breaks_ebpf;        ///< How; empty: calico's eBPF dataplane works.
  bool has_mtu_customizer = false;
  /// The nameserver that machines get by DHCP: an address, or an offset in the VPC's range.
  std::string_view nameserver;
  std::uint32_t nameserver_offset = 0;
};

/// The IPv6 ranges that a run supposes where the status does not give them yet, from the addresses
/// for documentation (RFC 3849).
struct SupposedIpv6 {
  std::string_view network;  ///< Of nodes and pods alike.
  std::string_view services;
  std::string_view source;
};

/// What overlaps lead to, where this provider differs: `{first}`, `{second}` and `{spared}` are
/// filled in. Empty: as everywhere.
struct Consequences {
  std::string_view routes_contested;
  std::string_view hidden_by_overlay;  ///< In one list of routes.
  std::string_view between_clusters;
  std::string_view routes_over_hosts;  ///< In one network.
  std::string_view hosts_collide;
};

/// All that is known of one provider, each constant with its source.
struct Profile {
  Provider provider = Provider::Other;
  std::string_view name;  ///< `spec.provider.type`; empty: nothing is known of it.
  Admission admission;
  Infrastructure infrastructure;
  Routes routes;
  Fabric fabric;
  Machines machines;
  std::optional<SupposedIpv6> supposed_ipv6;
  Consequences consequences;

  bool is_known() const { return !name.empty(); }
};

/// All with a file of their own, in the order of the enumeration.
std::span<const Profile* const> profiles();

/// That of `spec.provider.type`; for an unknown or empty name one without rules of its own.
const Profile& profile_of(std::string_view name);
const Profile& profile_of(Provider provider);

/// The name as in `spec.provider.type`; "other".
std::string_view to_string(Provider provider);
std::string_view to_string(RouteScope scope);

}  // namespace overlane::provider
