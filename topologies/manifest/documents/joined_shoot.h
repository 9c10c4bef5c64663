#pragma once

#include "topologies/manifest/documents/document_decoder.h"
#include "topologies/manifest/documents/garden_objects.h"
#include "topologies/manifest/documents/shoot_documents.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// Joins all documents about one shoot. Precedence: the Network, which the network extension
// reads in the seed, then the Shoot, then additions of Cluster, Infrastructure, ControlPlane and
// Worker. Where two documents differ, the overridden one gets the warning `documents-disagree`.
// Called on several threads, each with its own documents; the garden objects are shared.

/// Joins the documents of one shoot to one pod network. A refused document does not hide the
/// others; if no network is left, each other document gets a note `unused-document`.
Decoded decode_joined(const ShootDocuments& documents, GardenObjects& garden, Detail detail);

}  // namespace overlane::manifest
