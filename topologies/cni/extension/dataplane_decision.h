#pragma once

#include "topologies/effective/provenance.h"

namespace overlane::cni {

/// The dataplane of a pod network and the provenance of each of its fields.
struct DataplaneDecision {
  std::string row;
  effective::Dataplane dataplane;
  effective::Provenance mode;
  effective::Provenance encapsulation;
  effective::Provenance backend;
  effective::Provenance routes_by;
  effective::Provenance cloud_routes;  ///< Decided with its value by derive::ShootDerivation.
  effective::Provenance encryption;
  effective::Provenance pod_mtu;
  effective::Provenance overhead;
};

}  // namespace overlane::cni
