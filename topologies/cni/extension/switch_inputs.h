#pragma once

#include "topologies/effective/effective_dataplane.h"
#include "topologies/effective/landscape.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::cni {

/// An update that changes the pod network of a running shoot.
struct SwitchInputs {
  const manifest::PodNetworkSpec& spec;  ///< After the update.
  const effective::Landscape& landscape;
  const effective::EffectiveDataplane& before;
  const effective::EffectiveDataplane& after;

  /// Whether both dataplanes are known.
  bool is_known() const { return !before.opaque && !after.opaque; }
  bool goes(effective::Mode from, effective::Mode to) const {
    return is_known() && before.dataplane.mode == from && after.dataplane.mode == to;
  }
};

}  // namespace overlane::cni
