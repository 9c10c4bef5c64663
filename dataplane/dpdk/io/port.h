#pragma once

#include <cstdint>
#include <string>

#include "dataplane/dpdk/io/interface_claim.h"
#include "dataplane/dpdk/io/packet_pool.h"
#include "dataplane/net/address.h"

namespace overlane::dpdk {

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

}  // namespace overlane::dpdk
