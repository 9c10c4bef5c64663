#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>

#include "topologies/manifest/documents/unused.h"
#include "topologies/manifest/objects/object_head.h"
#include "topologies/manifest/spec/garden_spec.h"

namespace overlane::manifest {

/// Seeds and CloudProfiles. Each is decoded once and shared by all shoots that name it.
/// Thread-safe.
class GardenObjects {
 public:
  explicit GardenObjects(Detail detail) : detail_(detail) {}

  /// nullptr if the document is refused.
  std::shared_ptr<const SeedSpec> seed(const ObjectHead& object);
  /// Includes the values that a NamespacedCloudProfile inherits from `parent`, if given.
  std::shared_ptr<const CloudProfileSpec> profile(const ObjectHead& object,
                                                  const ObjectHead* parent);

  /// The findings of an object that was requested.
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

}  // namespace overlane::manifest
