#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "results/finding/finding.h"

namespace overlane::effective {

/// The providers with rules of their own (the table in provider_rules.cpp); all else is Other.
enum class Provider { Aws, Gcp, Azure, OpenStack, AliCloud, Metal, Local, Other };
enum class Cni { Calico, Cilium };
/// Whether a manifest is about to be created or was read back from a landscape. It matters: an
/// absent `overlay` key means opposite things (facts: provider mutators act on CREATE only).
enum class Stage { Create, Live };
enum class Mode { Overlay, Routed };
enum class Encapsulation { None, Ipip, Vxlan, Geneve };
enum class Backend { Bird, Vxlan, None, Tunnel, Native };
enum class RoutesBy { CloudRouteTable, Bgp, Felix, Cilium, DirectNodeRoutes, None };
enum class ServiceRouting {
  KubeProxyIptables,
  KubeProxyIpvs,
  KubeProxyNftables,
  CalicoEbpf,
  Cilium
};
enum class Encryption { None, WireGuard };

std::string_view to_string(Provider);
std::string_view to_string(Cni);
std::string_view to_string(Stage);
std::string_view to_string(Mode);
std::string_view to_string(Encapsulation);
std::string_view to_string(Backend);
std::string_view to_string(RoutesBy);
std::string_view to_string(ServiceRouting);
std::string_view to_string(Encryption);

/// Why a field has its value.
struct Reason {
  std::string field;    ///< Name as in the JSON: "dataplane.encapsulation", "pods".
  std::string value;    ///< As printed.
  std::string because;  ///< One sentence.
  std::string source;  ///< "file:line:column" of the deciding manifest field, or the rule's source.
  bool assumed = false;  ///< True when no given document says so: a named default decided.
};

/// The dataplane of one IP family (DESIGN: `dataplane{…}`).
struct Dataplane {
  Mode mode = Mode::Routed;
  Encapsulation encapsulation = Encapsulation::None;
  bool cross_subnet = false;  ///< Encapsulates only between different subnets.
  Backend backend = Backend::None;
  RoutesBy routes_by = RoutesBy::None;
  ServiceRouting service_routing = ServiceRouting::KubeProxyIptables;
  Encryption encryption = Encryption::None;
  std::uint32_t link_mtu = 1500;     ///< IP MTU of the node's uplink, bytes.
  std::uint32_t pod_mtu = 1500;      ///< MTU of the pods' veths, bytes.
  std::uint32_t tunnel_mtu = 0;      ///< MTU of the tunnel device; 0 without one.
  std::uint32_t overhead_bytes = 0;  ///< What the encapsulation adds to an IP packet.
};

/// Which shoots could see each other's routes.
struct RoutingDomain {
  enum class Scope { Vpc, Table, Router };
  enum class Sharing { None, Sure, Possible, Declared };
  std::string key;
  Scope scope = Scope::Vpc;
  Sharing sharing = Sharing::None;
};

/// A zone's worker subnet, where the infrastructure configuration names one.
struct ZoneSubnet {
  std::string zone;
  Ipv4Prefix workers;
};

std::string_view to_string(RoutingDomain::Scope);
std::string_view to_string(RoutingDomain::Sharing);

/// What one shoot's pods really get, every field with its reason.
struct EffectiveDataplane {
  std::string kind;        ///< "Shoot" or "Network".
  std::string name;        ///< The shoot's (or Network's) name.
  std::string namespace_;  ///< Its namespace.
  std::string source;      ///< "file:line:column" of the document.
  Place place;             ///< The same, for findings.
  std::string row;         ///< The facts' row that decided: "T1"…"T10", "C1"…"C6".
  Stage stage = Stage::Create;
  Provider provider = Provider::Other;
  std::string provider_name;  ///< As written; empty when no document names it.
  Cni cni = Cni::Calico;
  std::vector<std::string> ip_families;
  std::vector<IpPrefix> pods;
  std::vector<IpPrefix> services;
  std::vector<IpPrefix> nodes;
  RoutingDomain routing_domain;
  Dataplane dataplane;
  std::uint8_t node_cidr_mask_size = 24;
  std::int64_t max_nodes = 0;    ///< 0: not even one node gets a pod range.
  std::uint32_t max_pods = 110;  ///< Largest kubelet maxPods of the shoot.

  /// What a topology needs beyond the dataplane.
  struct WorkerPool {
    std::string name;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::vector<std::string> zones;
    std::string machine_type;
    Place place;
  };
  std::vector<WorkerPool> workers;
  std::vector<std::string> zones;        ///< All zones of the workers, in order of appearance.
  std::vector<ZoneSubnet> zone_subnets;  ///< From infrastructureConfig.networks; may be empty.

  std::vector<Reason> reasons;
  Findings findings;  ///< What is odd about it, though it would be admitted.
};

}  // namespace overlane::effective
