#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "topologies/manifest/documents/document_decoder.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/documents/shoot_documents.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::manifest {

// Joins all documents about one shoot. Precedence: the Network, which the network extension
// reads in the seed, then the Shoot, then additions of Cluster, Infrastructure, ControlPlane and
// Worker. Where two documents differ, the overridden document gets the warning
// `documents-disagree`. decode_joined() is called on several threads, each with its own documents;
// the threads share one GardenObjects.

/// Seeds and CloudProfiles. Each is decoded once and shared by all shoots that name it.
/// Thread-safe.
class GardenObjects {
 public:
  explicit GardenObjects(Detail detail) : detail_(detail) {}

  /// The decoded Seed; nullptr if the document is refused.
  std::shared_ptr<const SeedSpec> seed(const ObjectHead& object);
  /// The decoded profile; nullptr if the document is refused. Includes the values that a
  /// NamespacedCloudProfile inherits from `parent`, if given.
  std::shared_ptr<const CloudProfileSpec> profile(const ObjectHead& object,
                                                  const ObjectHead* parent);

  /// The findings about an object that seed() or profile() has decoded.
  const Findings& findings_of(const ObjectHead& object) const;

 private:
  template <typename T>
  struct Known {
    std::shared_ptr<const T> value;
    Findings findings;
  };
  template <typename T, typename Decode>
  std::shared_ptr<const T> look_up(std::unordered_map<const ObjectHead*, Known<T>>& known,
                                   const ObjectHead& object, const document::Value& root,
                                   Decode decode);

  Detail detail_;
  std::mutex mutex_;  ///< Guards the caches while shoots are decoded.
  std::unordered_map<const ObjectHead*, Known<SeedSpec>> seeds_;
  std::unordered_map<const ObjectHead*, Known<CloudProfileSpec>> profiles_;
};

// Objects that a Cluster embeds; nullptr if only the kind is set. An object without a name gets the
// Cluster's name.
std::shared_ptr<const SeedSpec> embedded_seed(const ObjectHead& cluster,
                                              document::Problems& problems);
std::shared_ptr<const CloudProfileSpec> embedded_profile(const ObjectHead& cluster,
                                                         document::Problems& problems);

/// Joins the documents of one shoot to one pod network. A refused document does not hide the
/// others; if no network is left, each other document gets a note `unused-document`.
Decoded decode_joined(const ShootDocuments& documents, GardenObjects& garden, Detail detail);

}  // namespace overlane::manifest
