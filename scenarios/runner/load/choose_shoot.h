#pragma once

#include <string>

#include "scenarios/runner/load/failure.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::runner {

struct ChosenShoot {
  manifest::PodNetworkSpec spec;
  Findings findings;  ///< From decoding the documents.
};

/// The pod network to run: `wanted` ("namespace/name"), or the only one.
Outcome<ChosenShoot> choose_shoot(manifest::ManifestSet manifests, const std::string& wanted);

}  // namespace overlane::runner
