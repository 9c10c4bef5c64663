#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/iterator/iterator_facade.hpp>

#include "dataplane/net/address.h"
#include "dataplane/net/units.h"
#include "results/model/run_report.h"
#include "sim/random/distribution.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// A pod that sends or receives. If its group sets from_node or to_node, it is on its node's own
/// network (hostNetwork), and the address is one of the node's.
struct PodEnd {
  std::uint32_t node = 0;
  IpAddress address;

  auto operator<=>(const PodEnd&) const = default;
};

struct PodPair {
  PodEnd source;  ///< Sender, or client.
  PodEnd destination;

  auto operator<=>(const PodPair&) const = default;
};

/// Pairs of pods, in order. Each pod is stored once: there are often many more pairs than pods.
class PodPairs {
 public:
  PodPairs() = default;
  PodPairs(const std::vector<PodPair>& pairs);  // NOLINT: the same pairs
  PodPairs(std::initializer_list<PodPair> pairs) : PodPairs(std::vector<PodPair>(pairs)) {}

  std::size_t size() const { return pairs_.size(); }
  bool empty() const { return pairs_.empty(); }
  PodPair operator[](std::size_t position) const {
    const auto& [source, destination] = pairs_[position];
    return {pods_[source], pods_[destination]};
  }
  PodPair front() const { return (*this)[0]; }

  /// Iterator that returns pairs by value.
  class Iterator : public boost::iterator_facade<Iterator, PodPair,
                                                 boost::random_access_traversal_tag, PodPair> {
   public:
    Iterator() = default;
    Iterator(const PodPairs& pairs, std::size_t at) : pairs_(&pairs), at_(at) {}

   private:
    friend class boost::iterator_core_access;
    PodPair dereference() const { return (*pairs_)[at_]; }
    bool equal(const Iterator& other) const { return at_ == other.at_; }
    void increment() { ++at_; }
    void decrement() { --at_; }
    void advance(std::ptrdiff_t by) { at_ += static_cast<std::size_t>(by); }
    std::ptrdiff_t distance_to(const Iterator& other) const {
      return static_cast<std::ptrdiff_t>(other.at_ - at_);
    }

    const PodPairs* pairs_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  bool operator==(const PodPairs&) const = default;

 private:
  std::vector<PodEnd> pods_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< Positions in pods_.
};

/// Port on which every server listens (iperf3's default).
inline constexpr std::uint16_t kServerPort = 5201;

/// Core of the application at one endpoint of a flow if the nodes are namespaces of one machine:
/// the scheduler wakes a server on another core than the core on which its client sends
/// (select_idle_sibling, kernel/sched/fair.c). With two cores, all clients are on one and all
/// servers on the other. The testbed pins its threads to these cores too.
constexpr std::uint32_t core_on_shared_machine(std::uint32_t flow, bool is_server,
                                               std::uint32_t cores) {
  return cores == 0 ? 0 : (2 * flow + (is_server ? 1 : 0)) % cores;
}

/// When the datagrams of a flow leave: at equal intervals, each up to 10 µs late as timers are, or
/// as a Poisson process.
enum class Arrivals : std::uint8_t { Constant, Poisson };

/// Whether a flow keeps its TCP connection, or opens a new one for each request or transfer and
/// closes it afterwards.
enum class Connections : std::uint8_t { KeepAlive, PerRequest };

/// Traffic of one kind between pairs of pods. Every pair has `flows_per_pair` flows; flow number =
/// position of the pair × flows_per_pair + position within the pair.
struct TrafficGroup {
  std::string name;
  model::TrafficKind kind = model::TrafficKind::Udp;
  PodPairs pairs;
  std::uint32_t flows_per_pair = 1;  ///< At least 1.
  /// The client sends to a Service whose only endpoint is its pair's destination, on kServerPort.
  /// The translation costs CPU time even if the states have no such Service: packets then have the
  /// pods' addresses.
  bool to_service = false;
  /// The senders (or clients) and the receivers (or servers) are on their nodes' own network: their
  /// packets have the source address of the route that they take.
  bool from_node = false;
  bool to_node = false;
  bool is_on_node(bool is_server) const { return is_server ? to_node : from_node; }

  // udp
  BitsPerSecond rate{};             ///< Application payload of each flow, while on; > 0.
  std::uint32_t payload_bytes = 0;  ///< Payload of a datagram; 1…65,507.
  bool dont_fragment = true;        ///< Linux's default (net.ipv4.ip_no_pmtu_disc 0).

  Arrivals arrivals = Arrivals::Constant;
  /// Both or neither: a flow alternately sends for a time drawn from `on` and is silent for a time
  /// drawn from `off`, in picoseconds. `on` is not shorter than the interval of `rate`.
  std::optional<Distribution> on;
  std::optional<Distribution> off;

  // tcp and request-response
  Connections connections = Connections::KeepAlive;
  std::uint8_t mtu_probing = 0;  ///< net.ipv4.tcp_mtu_probing, 0…2.
  /// TCP_CONGESTION of the sockets at both endpoints, as set by `iperf3 -C`.
  transport::CongestionControl congestion_control = transport::CongestionControl::Cubic;
  std::int64_t window_bytes = 3 << 20;  ///< Receive buffer: half of net.ipv4.tcp_rmem's 6 MiB.

  // tcp
  std::optional<Distribution> transfer;  ///< Payload bytes; without it, a flow sends until the end
                                         ///< of the run.
  /// If set, a flow begins another transfer this many picoseconds after the last one was read.
  std::optional<Distribution> gap;

  // request-response: one request at a time
  std::uint32_t request_bytes = 0;   ///< At least 1.
  std::uint32_t response_bytes = 0;  ///< At least 1.
  bool over_udp = false;             ///< Each message is a datagram; else over TCP.
  Picos think_time{};                ///< Time between a response and the next request.
  /// Time after which a client gives up a request without response and sends another, over TCP on a
  /// new connection. Empty: 1 s over UDP; over TCP when the connection fails.
  std::optional<Picos> timeout;

  bool uses_tcp() const { return kind != model::TrafficKind::Udp && !over_udp; }
};

}  // namespace overlane::run
