#pragma once

#include "dataplane/net/address.h"
#include "topologies/manifest/cluster_spec.h"

namespace overlane::effective {

/// The IP families of a shoot, in its order; no list means IPv4.
class Families {
 public:
  explicit Families(const manifest::ClusterSpec& spec);

  Family primary() const { return primary_; }
  bool has(Family family) const { return dual_stack_ || family == primary_; }
  bool is_dual_stack() const { return dual_stack_; }

 private:
  Family primary_ = Family::Ipv4;
  bool dual_stack_ = false;
};

}  // namespace overlane::effective
