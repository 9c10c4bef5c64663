#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::dpdk {

// DPDK's process-wide environment abstraction layer (EAL), and an exclusive claim of a network
// interface, which prevents two forwarders from using the same one.

/// Start options of DPDK's environment abstraction layer.
struct EalOptions {
  std::vector<unsigned> cores{0};  ///< Logical cores; the first one is the main core.
  bool hugepages = true;  ///< False: ordinary memory, which works with virtual devices only.
  std::uint32_t memory_mib =
      512;  ///< Memory in MiB: the maximum with hugepages; allocated at start without them.
  std::vector<std::string>
      devices;  ///< "net_tap0,iface=x" (a virtual device), "0000:3b:00.0" (PCI).
};

/// Returns the first `most` cores on which this process may run, or all if there are fewer.
std::vector<unsigned> own_cores(std::size_t most);

/// DPDK's environment in this process, which can start it only once. Must outlive every object that
/// uses DPDK.
class Eal {
 public:
  /// Starts DPDK. Fails with the messages that DPDK logged.
  static Parsed<Eal> start(const EalOptions& options);

  Eal(Eal&& other) noexcept : started_(other.started_) { other.started_ = false; }
  Eal& operator=(Eal&&) = delete;
  ~Eal();

 private:
  Eal() = default;
  bool started_ = true;
};

/// Whether a device is a PCI address: "0000:3b:00.0" or "3b:00.0".
bool is_pci_address(const std::string& device);

/// Name of the port in DPDK: "0000:3b:00.0" for "3B:00.0", "net_tap0" for "net_tap0,iface=x".
std::string port_name(const std::string& device);

/// "what: No such file or directory (2)", from a negative or positive errno value.
std::string dpdk_error(const std::string& what, int error);

/// Exclusive claim of the Linux interface that a virtual device uses, among the forwarders of this
/// network namespace. DPDK itself would allow two processes to forward the same packets.
class InterfaceClaim {
 public:
  /// Claims the interface of `device` (as in EalOptions::devices). Returns no claim if the device
  /// names no interface (`iface=`). Fails if the interface does not exist or another forwarder has
  /// claimed it.
  static Parsed<std::optional<InterfaceClaim>> of(const std::string& device);

  InterfaceClaim(InterfaceClaim&& other) noexcept;
  InterfaceClaim& operator=(InterfaceClaim&&) = delete;
  ~InterfaceClaim();

  /// Whether the interface still exists and has the same index.
  bool is_there() const;

 private:
  InterfaceClaim(std::string name, unsigned index, int socket)
      : name_(std::move(name)), index_(index), socket_(socket) {}

  std::string name_;
  unsigned index_;
  int socket_;  ///< Socket bound to an abstract name, which only one socket can have.
};

}  // namespace overlane::dpdk
