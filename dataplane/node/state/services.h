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

// Kubernetes Services as a node's kube-proxy (iptables, IPVS, nftables) or Cilium translates
// them: service address and port to one of the endpoints.

struct NodeState;

/// Who turns a Service's address into that of one of its endpoints, on the client's node.
enum class ServiceProxy : std::uint8_t {
  Iptables,    ///< kube-proxy: destination NAT of a connection's first packet, at random.
  Ipvs,        ///< kube-proxy: the addresses are the node's own (kube-ipvs0); in turn ("rr").
  Nftables,    ///< kube-proxy: as iptables, and it refuses other ports of a Service's address.
  CalicoEbpf,  ///< Felix's bpfConnectTimeLoadBalancing, by default of TCP; else tc at the veth.
  Cilium,      ///< In connect() and sendmsg() of the pod's socket: packets never bear the address.
};

/// "kube-proxy (iptables)" and the like.
std::string_view to_string(ServiceProxy proxy);

/// Where one listens.
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
  std::vector<Endpoint> endpoints;  ///< In kube-proxy's order; anyone's, also outside the cluster.

  auto operator<=>(const Service&) const = default;
};

/// The Services that a node translates. The nodes of a cluster share one.
class ServiceTable {
 public:
  /// Fails with `invalid-service` for a Service that Kubernetes would not take: two of one address,
  /// port and protocol, another protocol than TCP and UDP, a port 0, endpoints of another family.
  /// `pods`: clusterCIDR; a client elsewhere, as the node itself, is masqueraded.
  static Result<ServiceTable> make(ServiceProxy proxy, std::vector<Service> services,
                                   std::vector<IpPrefix> pods, std::uint64_t seed = 0);

  ServiceProxy proxy() const { return proxy_; }
  const std::vector<Service>& services() const { return services_; }  ///< Sorted.
  const std::vector<IpPrefix>& pods() const { return pods_; }
  /// Seed of the draws that iptables and nftables make for each connection.
  std::uint64_t seed() const { return seed_; }

  /// The Service that takes a packet to there, or null.
  const Service* find(const ServicePort& front) const;
  /// Whether any Service has the address.
  bool has(IpAddress address) const;
  /// Whether a socket learns the endpoint's address instead of the Service's: packets bear it.
  bool translates_at_socket(std::uint8_t protocol) const {
    return proxy_ == ServiceProxy::Cilium ||
           (proxy_ == ServiceProxy::CalicoEbpf && protocol == kTrackedTcp);
  }
  /// Without the Service of that front, if it has one.
  ServiceTable without(const ServicePort& front) const;
  /// With `now` instead of `before` as the address of endpoints.
  ServiceTable with_moved(IpAddress before, IpAddress now) const;

  bool operator==(const ServiceTable&) const = default;

 private:
  ServiceProxy proxy_ = ServiceProxy::Iptables;
  std::vector<Service> services_;
  std::vector<IpPrefix> pods_;
  std::uint64_t seed_ = 0;
};

/// Whose turn it is among the endpoints of a Service (ip_vs_rr): as many as were taken so far.
using ServiceTurns = std::map<ServicePort, std::uint32_t>;

/// What becomes of a connection's first packet at a Service.
struct ServiceChoice {
  Endpoint endpoint;
  /// kube-proxy's mark 0x4000: who answers must not see the client's address, which is its own (a
  /// pod that reaches itself) or none of a pod's.
  bool masqueraded = false;
};
/// The endpoint for it; nothing when the Service has none. IPVS takes turns. iptables and nftables
/// draw one for each connection (`-m statistic --mode random`, `numgen random`), tc as well: here
/// a hash of the packet's tuple and the table's seed, so that a run repeats; unlike in Linux a
/// connection that is opened anew from the same port gets the same one.
std::optional<ServiceChoice> choose_endpoint(const ServiceTable& table, const Service& service,
                                             const ConntrackTuple& packet, ServiceTurns& turns);

/// What a node does with what is sent to the address of a Service and was not translated.
enum class ServiceRefusal : std::uint8_t {
  None,
  AtVeth,        ///< An ICMP error before anything else (calico's tc program).
  AtForwarding,  ///< An ICMP error where it would leave (REJECT in FORWARD and OUTPUT).
  AtInput,       ///< An ICMP error of the Service's address, which is the node's own (IPVS).
};
/// No endpoint takes it: kube-proxy refuses it with "port unreachable" for a Service without
/// endpoints, IPVS also at its other ports, nftables whatever else there is for its address. What
/// is not refused takes the route that there is, unless the node has the address (IPVS).
ServiceRefusal refusal(const ServiceTable& table, const ServicePort& front);

/// "service tcp 100.64.0.20:80 endpoints 100.96.1.10:8080 100.96.2.10:8080 by kube-proxy
/// (iptables)".
std::string service_line(const ServiceTable& table, const Service& service);
/// The lines of all Services.
std::vector<std::string> service_lines(const NodeState& state);

}  // namespace overlane::node
