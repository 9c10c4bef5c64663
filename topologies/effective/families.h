#pragma once

#include <optional>

#include "dataplane/net/address.h"
#include "topologies/manifest/spec/cluster_spec.h"

namespace overlane::effective {

/// The IP families that a shoot's network has, in the shoot's order; no list means IPv4. While a
/// shoot becomes dual-stack it is the first one alone.
class Families {
 public:
  explicit Families(const manifest::PodNetworkSpec& spec);

  Family primary() const { return primary_; }
  /// The other one, in dual-stack.
  std::optional<Family> secondary() const {
    if (!dual_stack_) return std::nullopt;
    return primary_ == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
  }
  bool has(Family family) const { return dual_stack_ || family == primary_; }
  bool is_dual_stack() const { return dual_stack_; }
  /// Whether the infrastructure has both, which also a shoot on its way to dual-stack has, and one
  /// that came back from it: its status names two ranges of nodes.
  bool are_two_below() const { return two_below_; }

 private:
  Family primary_ = Family::Ipv4;
  bool dual_stack_ = false;
  bool two_below_ = false;
};

}  // namespace overlane::effective
