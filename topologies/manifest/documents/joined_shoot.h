#pragma once

#include "topologies/manifest/documents/garden_objects.h"
#include "topologies/manifest/documents/shoot_documents.h"
#include "topologies/manifest/spec/cluster_decoder.h"

namespace overlane::manifest {

/// The pod network that the documents of one shoot describe together. A document that is refused
/// does not hide the others; if no network is left, each of the others gets a note
/// `unused-document`.
Decoded decode_joined(const ShootDocuments& documents, GardenObjects& garden, Detail detail);

}  // namespace overlane::manifest
