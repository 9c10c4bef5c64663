#pragma once

#include <string>

#include "scenarios/runner/load/failure.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::runner {

struct ChosenShoot {
  manifest::PodNetworkSpec spec;
  Findings findings;  ///< About the documents, as decoding them found.
};

/// The one pod network to run: the one named `wanted` ("namespace/name"), or the only one there is.
Outcome<ChosenShoot> choose_shoot(manifest::ManifestSet manifests, const std::string& wanted);

}  // namespace overlane::runner
