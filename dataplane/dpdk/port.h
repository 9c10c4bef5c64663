#pragma once

#include <cstdint>
#include <string>

#include "dataplane/dpdk/interface_claim.h"
#include "dataplane/dpdk/packet_pool.h"
#include "dataplane/net/address.h"

namespace overlane::dpdk {

/// What a port counted since it was started.
struct PortCounters {
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  std::uint64_t missed = 0;  ///< Came while no buffer or descriptor was free.
  std::uint64_t errors = 0;  ///< Receiving and sending.
};

/// A running Ethernet device, with one receive and one send queue per core. Stops it when it goes.
class Port {
 public:
  /// `device` as in EalOptions::devices. `mtu` counts IP bytes. Fails when the device is not there,
  /// cannot have the queues or the MTU, or belongs to another forwarder.
  static Parsed<Port> start(const std::string& device, std::uint16_t queues, std::uint32_t mtu,
                            const PacketPool& pool);

  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;
  ~Port();

  std::uint16_t id() const { return id_; }
  const std::string& device() const { return device_; }
  MacAddress mac() const;
  PortCounters counters() const;
  std::uint32_t mtu() const { return mtu_; }
  /// Whether the device has not been taken away.
  bool is_there() const;

 private:
  Port(std::uint16_t id, std::string device, std::uint32_t mtu,
       std::optional<InterfaceClaim> interface)
      : id_(id), device_(std::move(device)), mtu_(mtu), interface_(std::move(interface)) {}

  std::uint16_t id_;
  std::string device_;
  std::uint32_t mtu_;
  std::optional<InterfaceClaim> interface_;
  bool started_ = true;
};

}  // namespace overlane::dpdk
