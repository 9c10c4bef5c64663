#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataplane/dpdk/io/eal.h"
#include "dataplane/net/address.h"
#include "results/finding/finding.h"

struct rte_mempool;

struct rte_mbuf;
struct rte_ring;

namespace overlane::dpdk {

// DPDK ports, their packet buffers, and ports whose wire ends in this process (net_ring).

/// The buffers of a program's packets.
class PacketPool {
 public:
  /// Minimum buffer size that drivers expect (RTE_MBUF_DEFAULT_DATAROOM).
  static constexpr std::uint32_t kDefaultFrameBytes = 2048;

  /// Makes `buffers` buffers of `frame_bytes` bytes each, with headroom for outer headers.
  static Parsed<PacketPool> make(std::uint32_t buffers, std::uint32_t frame_bytes);

  rte_mempool* get() const { return pool_.get(); }
  /// Buffers in use: 0 when every packet has been sent or freed.
  std::uint32_t in_use() const;

 private:
  struct Free {
    void operator()(rte_mempool* pool) const;
  };
  explicit PacketPool(rte_mempool* pool) : pool_(pool) {}

  std::unique_ptr<rte_mempool, Free> pool_;
};

/// Counters of a port since its start.
struct PortCounters {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;  ///< Received while no buffer or descriptor was free.
  std::uint64_t errors = 0;  ///< Receive and send errors.
};

/// Numbers of queues of a port; each queue belongs to one core.
struct Queues {
  std::uint16_t receive = 1;
  std::uint16_t send = 1;
};

/// A running Ethernet device that distributes flows to its receive queues (RSS). The destructor
/// stops the device.
class Port {
 public:
  /// Starts `device` (as in EalOptions::devices). `mtu` counts IP bytes. A virtual device that has
  /// its queues in pairs may get more queues than requested. Fails if the device does not exist,
  /// does not support the queues or the MTU, or belongs to another forwarder.
  static Parsed<Port> start(const std::string& device, const Queues& queues, std::uint32_t mtu,
                            const PacketPool& pool);

  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;
  ~Port();

  std::uint16_t id() const { return id_; }
  const std::string& device() const { return device_; }
  MacAddress mac() const;
  PortCounters counters() const;
  std::uint32_t mtu() const { return mtu_; }
  /// The queues that the port has. Every receive queue must be polled.
  const Queues& queues() const { return queues_; }
  /// Whether the device still exists.
  bool is_there() const;

 private:
  Port(std::uint16_t id, std::string device, const Queues& queues, std::uint32_t mtu,
       std::optional<InterfaceClaim> interface)
      : id_(id),
        device_(std::move(device)),
        queues_(queues),
        mtu_(mtu),
        interface_(std::move(interface)) {}

  std::uint16_t id_;
  std::string device_;
  Queues queues_;
  std::uint32_t mtu_;
  std::optional<InterfaceClaim> interface_;
  bool started_ = true;
};

/// The far end of a wire to a port of this process (DPDK's net_ring). It puts frames on the wire
/// and takes the frames that the port sent.
class RingWire {
 public:
  /// Makes the port under an unused name with these numbers of queues. The wire and the pool must
  /// outlive all ports.
  static Parsed<RingWire> make(const std::string& name, const PacketPool& pool,
                               const Queues& queues = {});

  /// The device name for Port::start().
  const std::string& device() const { return device_; }
  /// Puts a frame into one of the port's receive queues. Returns false if there is no room.
  bool put(std::span<const std::uint8_t> frame, std::uint16_t queue = 0);
  /// Puts packets of the pool into one of the port's receive queues. Takes ownership of as many
  /// packets from the front as fit, and returns their number.
  std::size_t put_burst(std::span<rte_mbuf* const> packets, std::uint16_t queue = 0);
  /// Takes up to packets.size() packets that the port sent through one of its queues. The caller
  /// owns them.
  std::size_t take_burst(std::span<rte_mbuf*> packets, std::uint16_t queue = 0);
  /// Returns all frames that the port has sent since the last call, queue by queue in order.
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
