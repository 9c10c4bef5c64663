#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "topologies/sources/citation.h"

namespace overlane::provider {

// The facts about a cloud provider that other code depends on, as constants: the fields that its
// admission writes and refuses, the controller of pod routes and its quota, the forwarding and
// filters of its fabric, its node subnets and machines. No other code asks for a provider by name
// (tools/check-profiles), so a new provider is one new file and its line in profiles.cpp. Each fact
// names its source: a file of the provider extension, or a document of the cloud. Profiles are
// constants; any thread may read them.

using sources::Citation;

/// The providers with a profile. Other stands for unknown providers.
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

/// The IP families that a provider's admission accepts if they contain IPv6.
enum class Ipv6Rule { Any, DualOnly, Forbidden };

/// The value of overlay.enabled that admission writes into a new shoot without such a key.
enum class NewOverlay {
  Untouched,     ///< Admission writes no key.
  Off,           ///< false, for every network type.
  OffForCilium,  ///< false, for cilium only.
  ByLandscape,   ///< For calico and cilium; the value depends on settings of the landscape.
};

/// The network types for which admission disables snatToUpstreamDNS without overlay.
enum class DnsSnat { Never, ForCalico, ForAll };

/// Effects of the provider's admission on a Shoot before the network extension reads it.
struct Admission {
  NewOverlay new_overlay = NewOverlay::Untouched;
  /// Whether admission writes an overlay.enabled into a new shoot of this network type.
  bool writes_new_overlay_of(std::string_view network_type) const {
    switch (new_overlay) {
      case NewOverlay::Untouched:
        return false;
      case NewOverlay::Off:
        return true;
      case NewOverlay::OffForCilium:
        return network_type == "cilium";
      case NewOverlay::ByLandscape:
        return network_type == "calico" || network_type == "cilium";
    }
    return false;
  }
  Citation mutator;  ///< Source of `new_overlay` and of all rules below without their own source.
  /// Defaults for a new shoot without providerConfig (metal).
  std::string_view bare_calico_backend;
  std::string_view bare_cilium_tunnel;
  std::optional<std::int64_t> bare_cilium_mtu;
  /// Defaults that admission writes: networking.pods and services, kubelet.maxPods and
  /// nodeCIDRMaskSize.
  std::string_view default_pods;
  std::string_view default_services;
  std::optional<std::uint32_t> default_max_pods;
  std::optional<std::int64_t> default_node_mask;
  /// Source of the webhook on the Network that sets calico's backend to none, for new and live
  /// shoots; empty: no such webhook.
  Citation backend_none_webhook;
  /// Source of the rule that calico with overlay.enabled true is refused; empty: no such rule.
  Citation calico_overlay_refused_by;
  /// Whether admission writes createPodRoutes: true if overlay.enabled is false and it is absent.
  bool pod_routes_when_routed = false;
  /// Whether admission writes snatToUpstreamDNS.enabled: false if overlay.enabled is false.
  DnsSnat dns_snat_forced_off = DnsSnat::Never;
  bool forces_dns_snat_off(std::string_view network_type) const {
    return dns_snat_forced_off == DnsSnat::ForAll ||
           (dns_snat_forced_off == DnsSnat::ForCalico && network_type == "calico");
  }
  bool nodes_required = false;  ///< networking.nodes must be given.
  Ipv6Rule ipv6 = Ipv6Rule::Any;
  bool ipv6_needs_routed = false;  ///< A shoot with IPv6 must have no overlay.
  /// The IPv4 node mask of dual-stack shoots, which overrides the shoot's, and its source.
  std::optional<std::int64_t> dual_stack_node_mask;
  Citation dual_stack_node_mask_source;
};

/// How a provider's infrastructure controller lays out the subnets of a shoot's nodes.
struct SubnetLayout {
  enum class Kind : std::uint8_t {
    PerZone,
    One,             ///< One subnet for all zones.
    OneUnlessZones,  ///< PerZone if the InfrastructureConfig has networks.zones, otherwise One.
  };
  Kind kind = Kind::PerZone;
  Citation source = "assumed: no document of the provider says it";

  /// Whether all zones share one subnet. `has_zones`: a document gives each zone its own subnet.
  bool is_one(bool has_zones) const {
    return kind == Kind::One || (kind == Kind::OneUnlessZones && !has_zones);
  }
};

/// Checks of the provider's infrastructureConfig validator
/// (pkg/apis/<provider>/validation/infrastructure.go).
struct Infrastructure {
  bool subnets_within_network =
      false;  ///< Subnets and nodes lie in the VPC's or vnet's range, if given.
  bool workers_within_nodes = false;  ///< Workers' subnets lie in the nodes' range.
  bool subnets_disjoint = false;      ///< The zones' subnets do not overlap each other.
  bool pods_outside_network = false;  ///< Pods and services lie outside the network's range.
  bool pods_outside_subnets = false;  ///< Pods and services lie outside each subnet.
  bool internal_apart = false;        ///< The internal range lies outside everything else.
  bool names_or_gives_vpc =
      false;  ///< Exactly one of a VPC's id and the range of a new one is required.
  bool zones_required = false;  ///< networks.zones is required if a VPC's id or range is given.
  /// networks.workers is required, unless another layout of subnets is given.
  bool workers_range_required = false;
  bool router_required = false;            ///< An existing VPC needs a cloud router.
  bool mtu_of_new_network_only = false;    ///< networks.mtu is refused for an existing network.
  bool has_resource_groups = false;        ///< Networks are identified within a resource group.
  bool dual_stack_needs_networks = false;  ///< A dual-stack shoot needs networks.ipv6.
  bool switches_dual_stack = false;        ///< dualStack.enabled: false disables IPv6.
  // Fields that an update must not change.
  bool vpc_fixed = false;           ///< The VPC, and the subnets of existing zones.
  bool network_only_grows = false;  ///< The vnet's range; a larger range is allowed.
  bool workers_only_grow = false;   ///< networks.workers; a larger range is allowed.
  bool mtu_fixed = false;           ///< networks.mtu.
  bool network_fixed = false;       ///< Router, network, subnet pool, workers, floating pool.
  bool route_table_fixed = false;   ///< The choice of a custom route table.
};

/// How pods of routed shoots reach other nodes without a network extension's routes.
enum class PodPath { RouteTable, Bgp, None };

/// Route quota of one route table, network or router. It has two numbers, since documents disagree.
struct RouteQuota {
  std::int64_t usual = 0;  ///< The default quota, routes; 0: not documented.
  Citation source;
  std::int64_t lowest = 0;  ///< A lower number in a different document; 0: none.
  Citation lowest_source;
  /// Number of routes in a new table that lead to no node and count against the quota: the local
  /// and the default route, one of them, or none.
  std::int64_t own_routes = 0;
  std::string_view holder;  ///< The object with the quota: "route table".
};

/// What happens to a route table that the controllers of two shoots write.
struct SharedTable {
  /// Each controller deletes unknown routes inside its shoot's pod ranges. Otherwise it keeps them,
  /// and the last route written to a destination wins.
  bool deletes_foreign = false;
  /// The table keeps both routes to a destination and balances by flow hash.
  bool keeps_both = false;
  /// Explanation of an example packet; `{}` is replaced by the shoot with the route in effect.
  std::string_view outcome =
      "both shoots' nodes announce the destination, and the network takes what {} announces";
};

/// How a cloud allocates IPv6 pod ranges to the nodes' interfaces, from the nodes' subnets.
struct Ipv6Delegation {
  std::uint8_t interface_length = 0;  ///< Prefix length per interface.
  std::uint8_t pod_cidr_length =
      0;  ///< Prefix length of node.spec.podCIDRs, the first range of the interface's prefix.
  bool holds_node_address = false;  ///< The prefix's first address is the node's.
};

/// How a route controller writes the missing routes of one reconciliation.
enum class RouteWrites {
  Concurrent,     ///< Up to 200 operations at a time (cloud-provider, controllers/route).
  OneByOne,       ///< Two API calls for each route in each table, one after the other.
  RouterUpdates,  ///< Reads and writes the whole router for each route.
  WholeTable,     ///< Collects routes, and writes the table as a whole.
};

/// The cloud controller managers among which controlPlaneConfig.cloudControllerManager.name
/// chooses.
struct ManagerChoice {
  std::string_view with_routes;  ///< The only manager with a route controller.
  std::string_view preset;       ///< The manager that runs if none is named.
  Citation source;
};

/// Which controller writes routes to pods, when, and into which table.
struct Routes {
  PodPath pods = PodPath::RouteTable;
  Citation controller;  ///< The controller that writes the cloud's routes, if any; source.
  /// Routes are written only if overlay.enabled is explicitly false, not if it is absent.
  bool follow_overlay = false;
  /// controlPlaneConfig.cloudControllerManager.useCustomRouteController switches the controller;
  /// admission sets the field to the opposite of overlay.enabled. If it is absent, the controller
  /// does not run.
  bool switched_by_control_plane = false;
  /// Source of the rule that calico's `backend: bird` in the Shoot switches the controller off;
  /// empty: no such rule.
  Citation off_with_bird;
  std::optional<ManagerChoice> manager_choice;  ///< Nothing: one manager, which writes routes.
  /// Source of the rule that routes are written only to a private pod range (Go's net.IP.IsPrivate:
  /// RFC 1918 and RFC 4193); empty: no such rule.
  Citation private_pods_only;
  /// Source of the rule that no routes are written for a shoot with an overlay in an existing
  /// subnet; empty: no such rule.
  Citation off_in_own_subnet;
  bool table_per_zone = false;      ///< Gardener creates one table per zone.
  bool table_per_subnet = false;    ///< One table per subnet; otherwise one per network.
  bool has_system_table = false;    ///< The VPC's table is used unless the shoot requests its own.
  std::optional<RouteQuota> quota;  ///< Nothing: no table holds node routes.
  bool families_share_quota = false;  ///< Routes of both families share one table.
  /// Number of routes of one node in a table, given the families that have routes.
  std::int64_t of_node(bool ipv4, bool ipv6) const {
    return families_share_quota && ipv4 && ipv6 ? 2 : 1;
  }
  RouteWrites writes = RouteWrites::Concurrent;
  std::string_view component = "cloud-controller-manager";  ///< The program that writes routes.
  /// Every reconciliation writes the node conditions, even if another program wrote them last.
  /// False: only a reconciliation that changes routes writes them, and one each hour.
  bool each_pass_writes_conditions = true;
  /// A node's condition NetworkUnavailable describes only its route in the last table.
  bool last_table_decides = false;
  /// Shell command that finds the shoot's route tables, router or network by its technical id in
  /// $ID, for create_command.
  std::string_view find_tables_command;
  /// Replaces find_tables_command if the shoot is in an existing network or router; {} is replaced
  /// by its id. Empty: find_tables_command is valid there, too.
  std::string_view find_tables_in;
  /// Shell command that creates the routes of a node by hand, in all tables. The node has the name
  /// $node, the pod CIDR $cidr, the address $address and the spec.providerID $id. Empty: not known.
  std::string_view create_command;
  /// Shell command that deletes what create_command created, with the same variables.
  std::string_view delete_command;
  /// Shell command that prints a line for each route of a node that is in force, with the same
  /// variables.
  std::string_view show_command;
  /// Warning of the provider's documentation about routes created by hand; empty: none.
  std::string_view by_hand_caution;
  std::size_t name_length = 0;  ///< Characters of the technical id in a route's name; 0: none.
  /// Nodes of one subnet share a link: a node can send pod packets directly to another node.
  /// Otherwise the cloud routes every packet.
  bool nodes_share_link = false;
  SharedTable shared;
  /// Calico's node conditions are cleaned up after the overlay was switched off.
  bool cleans_up_calico = false;
  /// The cloud allocates the pod ranges of IPv6, or of both families in dual-stack, to the nodes'
  /// network interfaces (prefix delegation, alias ranges) instead of routing them.
  std::optional<Ipv6Delegation> ipv6_delegation;
  bool dual_stack_by_interface = false;
};

/// The object whose sharing lets shoots see each other's routes.
enum class RouteScope { Vpc, Table, Router };

/// One rule of the security group that Gardener's infrastructure controller creates for a shoot's
/// nodes.
struct FilterRule {
  enum class From : std::uint8_t {
    Anywhere,
    Pods,          ///< The shoot's IPv4 pod range.
    Nodes,         ///< The shoot's IPv4 node range.
    PodsAndNodes,  ///< Both IPv4 ranges.
    NodesAndServicesIpv6,
    GroupInterfaces,  ///< Members of the group, identified by their interfaces.
    /// Members of the group, identified by their addresses. OVN knows only their fixed addresses,
    /// without the allowed address pairs.
    GroupAddresses,
  };
  struct Ports {
    std::uint16_t first = 0;
    std::uint16_t last = 0;
  };
  From from = From::Anywhere;
  std::span<const std::uint8_t> protocols;  ///< IP protocol numbers; empty: all.
  std::span<const Ports> ports;             ///< Empty: all.
};

/// The security group or firewall that Gardener's infrastructure controller creates for a shoot.
struct Filter {
  std::string_view name;        ///< "{}-nodes", where {} is replaced by the shoot's name.
  bool every_instance = false;  ///< Applies to the whole VPC, not only the shoot's nodes.
  std::span<const FilterRule> rules;
};

/// A range that the cloud reserves in every network.
struct ReservedRange {
  std::string_view cidr;
  std::string_view owner;  ///< Owner and purpose.
};

/// One-way latency between two nodes without load, microseconds.
struct PathLatency {
  std::uint32_t within_zone = 20;
  std::string_view within_zone_range = "10 to 100 µs";
  std::uint32_t across_zones = 500;
  std::string_view across_zones_range = "200 to 1000 µs";
  Citation source = "assumed: no public document of a provider states it";
};

/// Packet filters whose rules Gardener does not write, and how an operator sees them.
struct UnknownFilter {
  std::string_view why;      ///< The reason why the rules are unknown.
  std::string_view tool;     ///< The command without arguments.
  std::string_view command;  ///< The whole shell command that shows the rules.
};

/// A network backend that drops packets with pods' own addresses. Manifests do not show whether a
/// landscape has it.
struct DroppingBackend {
  std::string_view name;      ///< "OVN".
  std::string_view setting;   ///< Key below `landscape.` that declares the backend.
  std::string_view question;  ///< "whether …", with the source for the dropped packets.
  std::string_view command;   ///< Shell command that shows the backend.
  std::string_view reading;   ///< How to read its output.
};

/// Properties of the network between nodes.
struct Fabric {
  RouteScope scope = RouteScope::Vpc;  ///< Scope in which shoots could see each other's routes.
  /// Source of the fact that all shoots share one network, independent of their manifests; empty:
  /// they do not.
  Citation one_network;
  bool names_networks = false;  ///< Manifests can name an existing network.
  /// Whether equal network ids always mean the same network; names also need an equal project or
  /// subscription.
  bool network_id_is_unique = false;
  std::uint32_t link_mtu = 1500;  ///< Default IP MTU of the links between nodes, bytes.
  Citation link_mtu_source = "assumed: Ethernet's default";
  /// IP MTU of the path to the internet, bytes; it applies if link_mtu is larger.
  std::uint32_t egress_mtu = 1500;
  Citation egress_mtu_source = "assumed: Ethernet's, which the internet carries";
  PathLatency latency;
  std::span<const std::uint8_t> dropped_protocols;  ///< IP protocol numbers that the fabric drops.
  Citation dropped_protocols_source;
  /// Anti-spoofing stays enabled with the pod range as an exception (OpenStack's allowed address
  /// pairs), instead of being switched off (AWS source/destination check, IP forwarding of Azure
  /// and GCP).
  bool allows_pod_range_only = false;
  std::optional<DroppingBackend> dropping_backend;
  /// Requests for link-layer addresses (ARP, neighbour discovery) are answered inside the sender's
  /// subnet only.
  bool answers_within_subnet_only = false;
  /// Destination prefix that leads out of the VPC, in addition to the default route.
  std::string_view ipv6_egress;
  bool pods_without_ipv6 = false;  ///< Load balancers get IPv6, pods do not.
  // Fields of node::FabricState with the same names.
  bool drops_disordered_fragments = false;
  bool honours_next_hop = true;
  /// The network refuses routes to destinations inside a subnet.
  bool protects_subnets = false;
  std::uint8_t decrementing_hops = 0;
  /// Routes within the network's own range must match a subnet's range exactly.
  bool keeps_local_routes = false;
  std::optional<Filter> filter;  ///< Nothing: existing rules allow the shoot's traffic.
  /// IP in IP is allowed only between members of the security group, by its default.
  bool ipip_within_group_only = false;
  /// How an operator sees this default of the security group, which no manifest shows.
  UnknownFilter ipip_filter;
  /// The nodes' security group if the infrastructureConfig names one; {} is replaced by its id.
  UnknownFilter given_group;
  std::string_view closed_ports;  ///< Ports that the filter closes, as text: "23 and 514".
  std::optional<ReservedRange> reserved;
};

/// A limit of the cloud on the flows, or tracked connections, between one machine and all others. A
/// run does not model it; it reports machines with more flows.
struct FlowAllowance {
  std::string_view what;               ///< "tracked connections".
  std::uint32_t flows_per_connection;  ///< The cloud counts so many for a TCP or UDP connection.
  /// Flows from which on the limit may have an effect; for machines with less than `cores`, the
  /// first number, if it differs.
  std::uint32_t cores = 0;
  std::uint32_t flows_of_small = 0;
  std::uint32_t flows = 0;
  std::string_view effect;  ///< What happens beyond, and where an operator sees it.
  Citation source;

  constexpr std::uint32_t flows_of(std::uint32_t machine_cores) const {
    return machine_cores < cores ? flows_of_small : flows;
  }
};

/// The machines that nodes run on, and their network interfaces.
struct Machines {
  /// The Linux driver of most machines' NIC, a row of machines/nics.h; empty: unknown.
  std::string_view nic;
  /// The NIC's queues are served by software of the hypervisor, not by hardware.
  bool virtio = false;
  /// DHCP gives the NIC an address without a subnet (/32, in IPv6 /128), the route to the subnet's
  /// gateway, and the default route over it: no other machine is a neighbour.
  bool host_addresses = false;
  Citation host_addresses_source;
  std::optional<std::uint64_t> single_flow;  ///< Bandwidth limit of one flow, bits/s.
  Citation single_flow_source;
  std::string_view single_flow_range;  ///< The limits of other machines or settings, as text.
  std::optional<FlowAllowance> flow_allowance;  ///< Nothing: not documented.
  std::string_view breaks_ebpf;  ///< Why calico's eBPF dataplane does not work; empty: it works.
  /// The MTU of every NIC if the infrastructureConfig sets enableMTUCustomizer, bytes; 0: the
  /// provider has no such field.
  std::uint32_t customized_mtu = 0;
  /// The nameserver from DHCP: an address, or an offset in the VPC's range.
  std::string_view nameserver;
  std::uint32_t nameserver_offset = 0;
};

/// IPv6 ranges that a run assumes if the status does not give them, from the documentation prefix
/// (RFC 3849).
struct SupposedIpv6 {
  std::string_view network;  ///< For nodes and pods.
  std::string_view services;
  Citation source;
};

/// Provider-specific impact texts of overlaps; `{first}`, `{second}` and `{spared}` are
/// placeholders. Empty: the general text.
struct Consequences {
  std::string_view routes_contested;
  std::string_view hidden_by_overlay;  ///< For shoots with one route table.
  std::string_view between_clusters;
  std::string_view routes_over_hosts;  ///< For shoots in one network.
  std::string_view hosts_collide;
};

/// All facts about one provider, each constant with its source.
struct Profile {
  Provider provider = Provider::Other;
  std::string_view name;  ///< `spec.provider.type`; empty: unknown provider.
  Admission admission;
  SubnetLayout node_subnets;
  Infrastructure infrastructure;
  Routes routes;
  Fabric fabric;
  Machines machines;
  std::optional<SupposedIpv6> supposed_ipv6;
  Consequences consequences;

  bool is_known() const { return !name.empty(); }
};

/// All profiles of this folder, in the order of the enumeration.
std::span<const Profile* const> profiles();

/// The profile of `spec.provider.type`. For an unknown or empty name, a profile without rules.
const Profile& profile_of(std::string_view name);
const Profile& profile_of(Provider provider);

/// The name as in `spec.provider.type`, or "other".
std::string_view to_string(Provider provider);
std::string_view to_string(RouteScope scope);

// The profiles. Each is defined in the file of its provider, small ones in profiles.cpp, which
// lists them all.
extern const Profile kAws;
extern const Profile kGcp;
extern const Profile kAzure;
extern const Profile kOpenStack;
extern const Profile kAliCloud;
extern const Profile kMetal;
extern const Profile kLocal;
extern const Profile kStackit;
extern const Profile kHcloud;

/// Kubernetes' default for services of type NodePort (kube-apiserver --service-node-port-range).
inline constexpr FilterRule::Ports kDefaultNodePorts{30'000, 32'767};

}  // namespace overlane::provider
