#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/dpdk/packet_pool.h"
#include "results/finding/result.h"

struct rte_ring;

namespace overlane::dpdk {

/// The far end of a wire to a port of this process (DPDK's net_ring): puts frames on it and takes
/// off what the port sent.
class RingWire {
 public:
  /// Makes the port, under a name that is not taken. Both must outlive all ports.
  static Parsed<RingWire> make(const std::string& name, const PacketPool& pool);

  /// What Port::start() calls the port.
  const std::string& device() const { return device_; }
  /// False when there is no room for the frame.
  bool put(std::span<const std::uint8_t> frame);
  /// All frames that the port has sent since the last call, in order.
  std::vector<std::vector<std::uint8_t>> take();

 private:
  struct Free {
    void operator()(rte_ring* ring) const;
  };
  using Ring = std::unique_ptr<rte_ring, Free>;
  RingWire(std::string device, const PacketPool& pool, Ring to_port, Ring from_port)
      : device_(std::move(device)),
        pool_(&pool),
        to_port_(std::move(to_port)),
        from_port_(std::move(from_port)) {}

  std::string device_;
  const PacketPool* pool_;
  Ring to_port_;
  Ring from_port_;
};

}  // namespace overlane::dpdk
