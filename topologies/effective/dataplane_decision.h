#pragma once

#include "topologies/effective/basis.h"

namespace overlane::effective {

/// The dataplane of a pod network and the basis of each of its fields.
struct DataplaneDecision {
  std::string row;
  Dataplane dataplane;
  Basis mode;
  Basis encapsulation;
  Basis backend;
  Basis routes_by;
  Basis encryption;
  Basis pod_mtu;
  Basis overhead;
};

}  // namespace overlane::effective
