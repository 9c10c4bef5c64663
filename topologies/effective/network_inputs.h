#pragma once

#include <cstdint>

#include "topologies/effective/addressing.h"
#include "topologies/effective/landscape.h"
#include "topologies/effective/overlay_decision.h"

namespace overlane::effective {

/// The inputs of a network extension, after the provider's admission.
struct NetworkInputs {
  const manifest::PodNetworkSpec& spec;
  const provider::Profile& provider;
  const Landscape& landscape;
  Stage stage = Stage::Create;
  Families families;
  OverlayDecision overlay;
  Addressing addressing;
  const Decided<std::uint32_t>& link_mtu;  ///< Bytes.

  /// Whether admission acts on this spec: of a new object, or of a live one that a patch or update
  /// changes. A live object's stored values hold as they are.
  bool admission_runs() const { return stage == Stage::Create || spec.is_changed; }
};

}  // namespace overlane::effective
