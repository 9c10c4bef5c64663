#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "dataplane/encap/outer_rules.h"
#include "dataplane/net/address.h"
#include "dataplane/net/flow_hash.h"
#include "dataplane/net/units.h"
#include "sim/core/prefetch.h"
#include "sim/run/inputs/network.h"
#include "sim/run/packet/packet.h"

namespace overlane::run {

// Addresses and ports of the sockets of a run: the ephemeral ports of clients (EphemeralPorts, as
// in Linux's net.ipv4.ip_local_port_range), the addresses of all sockets (SocketTable), and the
// Service addresses that clients use (ServiceFronts). Each object belongs to one partition or is
// constant.

inline constexpr std::uint16_t kFirstPort = encap::kFirstLocalPort;
inline constexpr std::uint16_t kPorts = encap::kLastLocalPort - encap::kFirstLocalPort + 1;

/// Source ports of one flow's connections: a share of the ephemeral range, used in rotation. Flows
/// from one pod to one other pod have disjoint shares. A port is free again when its last
/// connection has left TIME-WAIT (net.ipv4.tcp_tw_reuse applies to loopback only).
class EphemeralPorts {
 public:
  /// The port `first` is already in use; `flows` flows share the range.
  EphemeralPorts(std::uint16_t first, std::uint32_t flows)
      : offset_(first - kFirstPort), step_(flows), count_(std::max(1u, kPorts / flows)) {}

  /// Time from which the next port is free.
  Picos next_free_at() const {
    const std::uint64_t place = (taken_ + 1) % count_;
    return place < free_at_.size() ? free_at_[place] : Picos{};
  }
  std::uint16_t take() {
    const std::uint64_t place = ++taken_ % count_;
    return static_cast<std::uint16_t>(kFirstPort + (offset_ + place * step_) % kPorts);
  }
  /// The port taken last is in use until `time`.
  void hold_until(Picos time) {
    const std::uint64_t place = taken_ % count_;
    if (place >= free_at_.size()) free_at_.resize(place + 1);
    free_at_[place] = time;
  }

 private:
  std::uint64_t offset_;
  std::uint64_t step_;
  std::uint64_t count_;
  std::uint64_t taken_ = 0;
  std::vector<Picos> free_at_;
};

/// Addresses and ports in the packets of a socket.
struct SocketAddresses {
  IpAddress address;
  std::uint16_t port = 0;
  /// Destination: the address of the other endpoint, or the source address that its packets show (a
  /// Service address, or an address after SNAT).
  IpAddress peer;
  std::uint16_t peer_port = 0;
};

/// The addresses of all sockets. Separate from Endpoint, because a packet with cached decisions
/// reads no address.
class SocketTable {
 private:
  /// Addresses are numbered to keep rows small: there are many more flows than pods.
  struct Row {
    std::uint32_t address = 0;
    std::uint32_t peer = 0;
    std::uint16_t port = 0;
    std::uint16_t peer_port = 0;
  };

 public:
  static constexpr std::size_t kBytes = sizeof(Row);  ///< Memory per endpoint.

  void reserve(std::size_t ends) { rows_.reserve(ends); }
  /// Adds the next endpoint.
  void add(const SocketAddresses& socket) { rows_.push_back(row(socket)); }
  [[gnu::always_inline]] void prefetch(EndpointId end) const { core::prefetch(&rows_[end]); }
  void set(EndpointId end, const SocketAddresses& socket) { rows_[end] = row(socket); }
  SocketAddresses operator[](EndpointId end) const {
    const Row& row = rows_[end];
    return {addresses_[row.address], row.port, addresses_[row.peer], row.peer_port};
  }

 private:
  Row row(const SocketAddresses& socket) {
    return {number_of(socket.address), number_of(socket.peer), socket.port, socket.peer_port};
  }
  std::uint32_t number_of(IpAddress address) {
    const auto next = static_cast<std::uint32_t>(addresses_.size());
    const auto [at, is_new] = numbers_.try_emplace(address, next);
    if (is_new) addresses_.push_back(address);
    return at->second;
  }

  std::vector<Row> rows_;
  std::vector<IpAddress> addresses_;
  std::unordered_map<IpAddress, std::uint32_t, AddressHash> numbers_;
};

/// Addresses that clients use for servers behind Services.
class ServiceFronts {
 public:
  explicit ServiceFronts(const Network& network);

  /// Address of the Service with this endpoint on the client's node, if packets carry it on the
  /// pod's veth; otherwise the server's own address.
  node::Endpoint of(std::uint32_t client_node, const node::ServicePort& server) const;

 private:
  using ByEndpoint = std::map<node::ServicePort, node::Endpoint>;

  const Network& network_;
  std::map<const node::ServiceTable*, ByEndpoint> tables_;  ///< Most nodes share one.
};

}  // namespace overlane::run
