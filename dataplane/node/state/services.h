#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/prefix.h"
#include "dataplane/node/state/conntrack_tuple.h"
#include "results/finding/finding.h"

namespace overlane::node {

// Kubernetes Services as a node's kube-proxy (iptables, IPVS, nftables), Felix or Cilium translates
// them: from the Service's address and port to one of its endpoints.

struct NodeState;

/// The component on the client's node that translates a Service's address to that of an endpoint.
enum class ServiceProxy : std::uint8_t {
  Iptables,  ///< kube-proxy: destination NAT of a connection's first packet, at random.
  Ipvs,  ///< kube-proxy: the node itself has the addresses (kube-ipvs0); endpoints in turn ("rr").
  Nftables,  ///< kube-proxy: like iptables, but it rejects the other ports of a Service's address.
  /// Felix's bpfConnectTimeLoadBalancing, by default for TCP; other protocols by tc at the veth.
  CalicoEbpf,
  /// In connect() and sendmsg() of the pod's socket: packets never have the Service's address.
  Cilium,
};

/// Returns the name of a proxy, such as "kube-proxy (iptables)".
std::string_view to_string(ServiceProxy proxy);

/// Address, port and protocol of a Service.
struct ServicePort {
  IpAddress address;
  std::uint16_t port = 0;
  std::uint8_t protocol = 0;

  auto operator<=>(const ServicePort&) const = default;
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;

  auto operator<=>(const Endpoint&) const = default;
};

/// One port of a Service of type ClusterIP. Session affinity, node ports, load balancers and
/// topology-aware routing are not supported.
struct Service {
  ServicePort front;
  /// In kube-proxy's order. Endpoints may be outside the cluster.
  std::vector<Endpoint> endpoints;

  auto operator<=>(const Service&) const = default;
};

/// The Services that a node translates. All nodes of a cluster share one table.
class ServiceTable {
 public:
  /// Fails with `invalid-service` if Kubernetes would reject a Service: two with the same address,
  /// port and protocol, a protocol other than TCP and UDP, a port 0, or endpoints of the other
  /// family. `pods` is kube-proxy's clusterCIDR: clients outside it, such as the node itself, are
  /// masqueraded.
  static Result<ServiceTable> make(ServiceProxy proxy, std::vector<Service> services,
                                   std::vector<IpPrefix> pods, std::uint64_t seed = 0);

  ServiceProxy proxy() const { return proxy_; }
  const std::vector<Service>& services() const { return services_; }  ///< Sorted.
  const std::vector<IpPrefix>& pods() const { return pods_; }
  /// Seed of the random choices of iptables and nftables for each connection.
  std::uint64_t seed() const { return seed_; }

  /// Returns the Service with this address, port and protocol; null if there is none.
  const Service* find(const ServicePort& front) const;
  /// Returns whether any Service has the address.
  bool has(IpAddress address) const;
  /// Returns whether the socket translates the address, so that packets have the endpoint's address
  /// instead of the Service's.
  bool translates_at_socket(std::uint8_t protocol) const {
    return proxy_ == ServiceProxy::Cilium ||
           (proxy_ == ServiceProxy::CalicoEbpf && protocol == kTrackedTcp);
  }
  /// Returns the table without the Service with that front, if there is one.
  ServiceTable without(const ServicePort& front) const;
  /// Returns the table with `now` instead of `before` as the address of endpoints.
  ServiceTable with_moved(IpAddress before, IpAddress now) const;

  bool operator==(const ServiceTable&) const = default;

 private:
  ServiceProxy proxy_ = ServiceProxy::Iptables;
  std::vector<Service> services_;
  std::vector<IpPrefix> pods_;
  std::uint64_t seed_ = 0;
};

/// Number of connections so far for each Service, which selects the next endpoint (ip_vs_rr).
using RoundRobinCounters = std::map<ServicePort, std::uint32_t>;

/// The translation of a connection's first packet at a Service.
struct ServiceChoice {
  Endpoint endpoint;
  /// The connection has kube-proxy's mark 0x4000: the endpoint must not see the client's address.
  /// The client is the endpoint itself (a pod that reaches itself), or not a pod.
  bool masqueraded = false;
};
/// Returns the endpoint of a new connection; nothing if the Service has none. IPVS takes its
/// endpoints in turn. iptables, nftables and tc choose at random for each connection (`-m statistic
/// --mode random`, `numgen random`). Here the choice is a hash of the packet's tuple and the
/// table's seed, so that a run is repeatable. Unlike in Linux, a connection that is opened again
/// from the same port gets the same endpoint.
std::optional<ServiceChoice> choose_endpoint(const ServiceTable& table, const Service& service,
                                             const ConntrackTuple& packet,
                                             RoundRobinCounters& counters);

/// The place where a node rejects a packet to the address of a Service that was not translated.
enum class ServiceRefusal : std::uint8_t {
  None,
  AtVeth,        ///< An ICMP error at the veth, before all other steps (calico's tc program).
  AtForwarding,  ///< An ICMP error before the packet leaves (REJECT in FORWARD and OUTPUT).
  AtInput,       ///< An ICMP error from the Service's address, which the node itself has (IPVS).
};
/// Returns where the packet is rejected because no endpoint accepts it. kube-proxy rejects packets
/// to a Service without endpoints with "port unreachable"; IPVS also rejects those to other ports
/// of the Service's address, nftables all other packets to that address. A packet that is not
/// rejected follows its route, unless the node itself has the address (IPVS).
ServiceRefusal refusal(const ServiceTable& table, const ServicePort& front);

/// Returns the line of a Service: "service tcp 100.64.0.20:80 endpoints 100.96.1.10:8080
/// 100.96.2.10:8080 by kube-proxy (iptables)".
std::string service_line(const ServiceTable& table, const Service& service);
/// Returns the lines of all Services.
std::vector<std::string> service_lines(const NodeState& state);

}  // namespace overlane::node
