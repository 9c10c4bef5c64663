#pragma once

#include <optional>
#include <string>

#include "results/finding/finding.h"

namespace overlane::dpdk {

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

  /// Whether it is still the interface that it was.
  bool is_there() const;

 private:
  InterfaceClaim(std::string name, unsigned index, int socket)
      : name_(std::move(name)), index_(index), socket_(socket) {}

  std::string name_;
  unsigned index_;
  int socket_;  ///< Bound to a name that only one socket can have.
};

}  // namespace overlane::dpdk
