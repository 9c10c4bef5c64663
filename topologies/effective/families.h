#pragma once

#include <optional>

#include "dataplane/net/address.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::effective {

/// The IP families of a shoot's network, in the shoot's order; no list means IPv4. Only the first
/// one during a migration to dual-stack.
class Families {
 public:
  explicit Families(const manifest::PodNetworkSpec& spec);

  Family primary() const { return primary_; }
  /// The second family, in dual-stack.
  std::optional<Family> secondary() const {
    if (!dual_stack_) return std::nullopt;
    return primary_ == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
  }
  bool has(Family family) const { return dual_stack_ || family == primary_; }
  bool is_dual_stack() const { return dual_stack_; }
  /// Whether the infrastructure is dual-stack. Also true during a migration to dual-stack and after
  /// one back from it: the status names two node ranges.
  bool infrastructure_is_dual_stack() const { return infrastructure_dual_stack_; }

 private:
  Family primary_ = Family::Ipv4;
  bool dual_stack_ = false;
  bool infrastructure_dual_stack_ = false;
};

}  // namespace overlane::effective
