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

// Ports of DPDK, their packet buffers, and ports whose wire ends in this process (net_ring).

/// The buffers of a program's packets.
class PacketPool {
 public:
  /// What drivers expect a buffer to hold at the least (RTE_MBUF_DEFAULT_DATAROOM).
  static constexpr std::uint32_t kDefaultFrameBytes = 2048;

  /// `buffers` of `frame_bytes`, each with room for outer headers in front.
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

/// What a port counted since it was started.
struct PortCounters {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;  ///< Came while no buffer or descriptor was free.
  std::uint64_t errors = 0;  ///< Receiving and sending.
};

/// How many queues a port has, each for one core.
struct Queues {
  std::uint16_t receive = 1;
  std::uint16_t send = 1;
};

/// A running Ethernet device, which deals flows out to its receive queues (RSS). Stops it when it
/// goes.
class Port {
 public:
  /// `device` as in EalOptions::devices. `mtu` counts IP bytes. A virtual device that has queues in
  /// pairs gets more than is asked for. Fails when the device is not there, cannot have the queues
  /// or the MTU, or belongs to another forwarder.
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
  /// All of its receive queues must be read.
  const Queues& queues() const { return queues_; }
  /// Whether the device has not been taken away.
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
  /// Puts packets of the pool on the wire. Takes ownership of the first ones, as many as there was
  /// room for, and returns their number.
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
