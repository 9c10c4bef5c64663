#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/dpdk/io/packet_pool.h"
#include "dataplane/dpdk/io/port.h"
#include "results/finding/finding.h"

struct rte_mbuf;
struct rte_ring;

namespace overlane::dpdk {

/// The far end of a wire to a port of this process (DPDK's net_ring): puts frames on it and takes
/// off what the port sent.
class RingWire {
 public:
  /// Makes the port, under a name that is not taken, with up to so many queues. Both must outlive
  /// all ports.
  static Parsed<RingWire> make(const std::string& name, const PacketPool& pool,
                               const Queues& queues = {});

  /// What Port::start() calls the port.
  const std::string& device() const { return device_; }
  /// Where one of the port's receive queues gets it. False when there is no room for the frame.
  bool put(std::span<const std::uint8_t> frame, std::uint16_t queue = 0);
  /// The same with packets of the pool, of which it owns as many as there was room for: the first
  /// ones. How many.
  std::size_t put_burst(std::span<rte_mbuf* const> packets, std::uint16_t queue = 0);
  /// Takes up to so many packets that the port has sent by one of its queues; the caller owns them.
  std::size_t take_burst(std::span<rte_mbuf*> packets, std::uint16_t queue = 0);
  /// All frames that the port has sent since the last call, queue by queue in order.
  std::vector<std::vector<std::uint8_t>> take();

 private:
  struct Free {
    void operator()(rte_ring* ring) const;
  };
  using Ring = std::unique_ptr<rte_ring, Free>;
  RingWire(std::string device, const PacketPool& pool, std::vector<Ring> to_port,
           std::vector<Ring> from_port)
      : device_(std::move(device)),
        pool_(&pool),
        to_port_(std::move(to_port)),
        from_port_(std::move(from_port)) {}

  std::string device_;
  const PacketPool* pool_;
  std::vector<Ring> to_port_;
  std::vector<Ring> from_port_;
};

}  // namespace overlane::dpdk
