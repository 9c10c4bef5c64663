#pragma once

#include "topologies/manifest/cluster_decoder.h"
#include "topologies/manifest/garden_objects.h"
#include "topologies/manifest/shoot_documents.h"

namespace overlane::manifest {

/// The pod network that the documents of one shoot describe together. A document that is refused
/// does not hide the others; if no network is left, each of the others gets a note
/// `unused-document`.
Decoded decode_joined(const ShootDocuments& documents, GardenObjects& garden, Detail detail);

}  // namespace overlane::manifest
