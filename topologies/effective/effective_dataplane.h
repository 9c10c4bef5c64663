#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"
#include "topologies/effective/dataplane.h"
#include "topologies/effective/nodes.h"
#include "topologies/effective/provenance.h"
#include "topologies/manifest/spec/shoot_spec.h"
#include "topologies/provider/profile.h"
#include "topologies/sources/citation.h"

namespace overlane::effective {

// The result of the derivation: the dataplane that a shoot gets, after all defaults of Gardener,
// the provider and the CNI. Every command starts from it: explain prints it, compile turns it
// into node states, checks compare it. Each field has a Reason (why, which document or source,
// whether assumed). It is a value without references to documents, except for the lazily built
// texts, which share their storage. opaque: the network type is not modelled and only addresses
// are known.

using provider::Provider;
/// The agent that configures a node's devices and routes for pods.
enum class NodeAgent { CalicoNode, CiliumAgent };
/// Whether a manifest is new or was read from a landscape. An absent `overlay` key means the
/// opposite: provider mutators act on CREATE only.
enum class Stage { Create, Live };

std::string_view to_string(Stage);

/// The scope in which shoots could see each other's routes.
struct RoutingDomain {
  using Scope = provider::RouteScope;
  enum class Sharing { None, Sure, Possible, Declared };
  std::string key;
  Scope scope = Scope::Vpc;
  Sharing sharing = Sharing::None;
};

/// Route quota of a network's route table, and its source.
struct RouteRoom {
  std::int64_t routes = 0;  ///< 0: unknown.
  sources::Citation source = "not known";
  bool is_set = false;  ///< Set by the landscape's operator.
};

std::string_view to_string(RoutingDomain::Sharing);

/// The effective pod network of one shoot, every field with its reason.
struct EffectiveDataplane {
  std::string kind;        ///< "Shoot" or "Network".
  std::string name;        ///< The shoot's (or Network's) name.
  std::string namespace_;  ///< Its namespace.
  std::string source;      ///< "file:line:column" of the document.
  SourceLocation place;    ///< Location of the document, for findings.

  /// A document that contributed.
  struct Document {
    ObjectName object;
    SourceLocation place;
  };
  std::vector<Document> sources;  ///< The document of `source` first.

  /// The deciding row of its network extension's truth table: "T1"…"T10" and "D1"…"D4" of calico,
  /// "C1"…"C6" of cilium.
  std::string row;
  /// Why the nodes' configuration cannot be modelled in this row; empty: it can.
  std::string_view not_modelled_because;
  Stage stage = Stage::Create;
  Provider provider{};
  std::string provider_name;  ///< `spec.provider.type`; empty if no document names it.
  std::string cni;            ///< The network type as written.
  NodeAgent agent{};
  bool has_ipv6_tunnel = false;  ///< Whether the agent can tunnel the pods of an IPv6-only shoot.
  /// Overlane does not model the network type: the dataplanes are undefined, all else is valid.
  bool opaque = false;
  std::vector<std::string> ip_families;
  std::vector<IpPrefix> pods;
  std::vector<IpPrefix> services;
  std::vector<IpPrefix> nodes;
  RoutingDomain routing_domain;
  RouteRoom route_room;                          ///< Quota of each route table in its network.
  std::optional<bool> ovn;                       ///< Landscape::openstack_ovn.
  std::int64_t gateway_endpoints = 0;            ///< Each adds a route to each of its tables.
  Dataplane dataplane;                           ///< The primary (first) IP family's.
  std::optional<Dataplane> secondary_dataplane;  ///< The other family's, in dual-stack.
  Masquerade masquerade;
  std::uint8_t node_cidr_mask_size = 24;  ///< For IPv4, if among the families.
  /// For IPv6, unless the cloud allocates the nodes' ranges.
  std::uint8_t node_cidr_mask_size_ipv6 = 64;
  /// Nothing: unknown. 0: no node gets a pod CIDR or an address.
  std::optional<std::int64_t> max_nodes;
  std::uint32_t max_pods = 110;  ///< Largest kubelet maxPods of the shoot.
  manifest::MutatingPolicies mutating_policies;
  /// Changes of the Shoot wait for its maintenance time window, or for a reconciliation by hand.
  bool confines_rollout = false;

  /// Fields that a topology needs besides the dataplane.
  struct WorkerPool {
    std::string name;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::vector<std::string> zones;
    std::string machine_type;
    SourceLocation place;
    bool in_place = false;  ///< Updated without replacing its machines (`updateStrategy`).
  };
  std::vector<WorkerPool> workers;
  NodeMachine machine;             ///< What a run takes all nodes for.
  std::vector<std::string> zones;  ///< All zones of the workers, in order of first use.
  NodeSubnets node_subnets;
  /// Id or name of the existing VPC, vnet or router (OpenStack); empty: Gardener makes it.
  std::string network_id;
  std::string
      nodes_security_group;  ///< An existing one, whose rules Gardener does not write (AWS).

  std::vector<Reason> reasons;
  Findings findings;  ///< Warnings about an admissible shoot; no notes.

  /// Whether all zones share one subnet of the nodes.
  bool has_one_subnet() const {
    return provider::profile_of(provider).node_subnets.is_one(node_subnets.by_zone);
  }
  /// The family of `dataplane`.
  Family primary_family() const {
    return !ip_families.empty() && ip_families.front() == "IPv6" ? Family::Ipv6 : Family::Ipv4;
  }
  /// Sum over all worker pools.
  std::int64_t minimum_nodes() const {
    std::int64_t sum = 0;
    for (const WorkerPool& pool : workers)
      sum += pool.minimum;
    return sum;
  }
  /// Null if the network does not have that family.
  const Dataplane* dataplane_of(Family family) const {
    if (family == primary_family()) return &dataplane;
    return secondary_dataplane ? &*secondary_dataplane : nullptr;
  }
};

}  // namespace overlane::effective
