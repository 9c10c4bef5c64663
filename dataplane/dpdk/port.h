#pragma once

#include <cstdint>
#include <string>

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
  /// `device` as in EalOptions::devices. `mtu` counts IP bytes.
  static Parsed<Port> start(const std::string& device, std::uint16_t queues, std::uint32_t mtu,
                            const PacketPool& pool);

  Port(Port&& other) noexcept;
  Port& operator=(Port&&) = delete;
  ~Port();

  std::uint16_t id() const { return id_; }
  const std::string& device() const { return device_; }
  MacAddress mac() const;
  PortCounters counters() const;
  /// Whether the device is still there and its link up.
  bool is_up() const;

 private:
  Port(std::uint16_t id, std::string device) : id_(id), device_(std::move(device)) {}

  std::uint16_t id_;
  std::string device_;
  bool started_ = true;
};

}  // namespace overlane::dpdk
