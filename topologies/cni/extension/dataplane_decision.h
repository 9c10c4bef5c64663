#pragma once

#include "topologies/effective/basis.h"

namespace overlane::cni {

/// The dataplane of a pod network and the basis of each of its fields.
struct DataplaneDecision {
  std::string row;
  effective::Dataplane dataplane;
  effective::Basis mode;
  effective::Basis encapsulation;
  effective::Basis backend;
  effective::Basis routes_by;
  effective::Basis encryption;
  effective::Basis pod_mtu;
  effective::Basis overhead;
};

}  // namespace overlane::cni
