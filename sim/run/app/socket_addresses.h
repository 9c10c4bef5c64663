#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/flow_hash.h"
#include "sim/core/prefetch.h"
#include "sim/run/packet/packet_in_flight.h"

namespace overlane::run {

/// What the packets of a socket carry.
struct SocketAddresses {
  IpAddress address;
  std::uint16_t port = 0;
  /// Where it sends to: the other end, or whom packets from there seem to come from.
  IpAddress peer;
  std::uint16_t peer_port = 0;
};

/// The addresses of all sockets. Apart from the ends: a packet of a flow whose decisions are cached
/// asks for none.
class SocketTable {
 private:
  /// Numbers of addresses: flows are many more than pods.
  struct Row {
    std::uint32_t address = 0;
    std::uint32_t peer = 0;
    std::uint16_t port = 0;
    std::uint16_t peer_port = 0;
  };

 public:
  static constexpr std::size_t kBytes = sizeof(Row);  ///< Of an end.

  void reserve(std::size_t ends) { rows_.reserve(ends); }
  /// Those of the next end.
  void add(const SocketAddresses& socket) { rows_.push_back(row(socket)); }
  [[gnu::always_inline]] void prefetch(EndId end) const { core::prefetch(&rows_[end]); }
  void set(EndId end, const SocketAddresses& socket) { rows_[end] = row(socket); }
  SocketAddresses operator[](EndId end) const {
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

}  // namespace overlane::run
