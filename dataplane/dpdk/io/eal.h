#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "results/finding/finding.h"

namespace overlane::dpdk {

// DPDK's process-wide environment, and the claim of an interface so that two forwarders do not
// share it.

/// What DPDK's environment abstraction layer is started with.
struct EalOptions {
  std::vector<unsigned> cores{0};  ///< Logical cores, the first one the main one's.
  bool hugepages = true;           ///< Else ordinary memory, which works with virtual devices only.
  std::uint32_t memory_mib = 512;  ///< Taken at once without hugepages, else the most.
  std::vector<std::string>
      devices;  ///< "net_tap0,iface=x" (a virtual device), "0000:3b:00.0" (PCI).
};

/// The first cores that this process may run on, at most so many.
std::vector<unsigned> own_cores(std::size_t most);

/// The environment of this process, which can have one only once. Nothing that uses DPDK may
/// outlive it.
class Eal {
 public:
  /// Fails with what DPDK said.
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

/// Name that DPDK gives the port: "0000:3b:00.0" of "3B:00.0", "net_tap0" of "net_tap0,iface=x".
std::string port_name(const std::string& device);

/// "what: No such file or directory (2)", from a negative or positive errno value.
std::string dpdk_error(const std::string& what, int error);

/// The Linux interface that a virtual device stands on, kept from other forwarders of this network
/// namespace. DPDK itself would let two of them forward the same packets.
class InterfaceClaim {
 public:
  /// `device` as in EalOptions::devices; nothing when it names no interface (`iface=`). Fails when
  /// the interface does not exist, or another forwarder has it.
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
  int socket_;  ///< Bound to a name that only one socket can have.
};

}  // namespace overlane::dpdk
