#include "topologies/manifest/manifest_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/cluster_decoder.h"
#include "topologies/manifest/not_admitted.h"
#include "topologies/manifest/object_head.h"

namespace overlane::manifest {
namespace {

using Wanted = ObjectHead::Wanted;

std::string file_of(const ObjectHead& object) {
  return object.root.place().file;
}

/// The Clusters of the stream, found by the Network that stands in the namespace of their name.
class Clusters {
 public:
  explicit Clusters(const std::vector<ObjectHead>& objects) {
    for (const ObjectHead& object : objects) {
      if (object.wanted != Wanted::Cluster) continue;
      auto& same_name = by_name_[object.name.name];
      if (std::ranges::find(same_name, file_of(object), file_of_pointed) == same_name.end())
        same_name.push_back(&object);
      else
        repeated_.insert(&object);
    }
  }

  /// Whether an earlier Cluster of the same file has the same name.
  bool is_repeated(const ObjectHead& cluster) const { return repeated_.contains(&cluster); }

  /// The one of the Network's own file, else the only one there is; nullptr if neither exists or
  /// its shoot does not fit.
  const ObjectHead* of(const ObjectHead& network) const {
    const auto found = by_name_.find(network.name.namespace_);
    if (network.name.namespace_.empty() || found == by_name_.end()) return nullptr;
    const auto& same_name = found->second;
    auto own = std::ranges::find(same_name, file_of(network), file_of_pointed);
    if (own == same_name.end() && same_name.size() == 1) own = same_name.begin();
    return own != same_name.end() && fits(network, **own) ? *own : nullptr;
  }

 private:
  static std::string file_of_pointed(const ObjectHead* object) { return file_of(*object); }

  static bool fits(const ObjectHead& network, const ObjectHead& cluster) {
    const std::string_view type =
        cluster.root["spec"]["shoot"]["spec"]["networking"]["type"].text();
    return embeds_shoot(cluster) && (type.empty() || type == network.root["spec"]["type"].text());
  }

  std::map<std::string, std::vector<const ObjectHead*>> by_name_;  ///< One per file.
  std::set<const ObjectHead*> repeated_;
};

void append(Decoded decoded, Detail detail, ManifestSet& set) {
  if (decoded.spec && detail == Detail::Summary) {
    if (auto refusal = not_admitted(decoded.findings)) decoded = {{}, {*std::move(refusal)}};
  }
  if (decoded.spec) set.clusters.push_back(*std::move(decoded.spec));
  set.findings.insert(set.findings.end(), decoded.findings.begin(), decoded.findings.end());
}

}  // namespace

ManifestSet decode(const document::Stream& stream, Detail detail) {
  const std::vector<ObjectHead> objects = list_objects(stream);
  const Clusters clusters(objects);

  // Networks first: a Cluster that one of them uses is not reported by itself.
  std::map<const ObjectHead*, Decoded> networks;
  std::set<const ObjectHead*> used;
  for (const ObjectHead& object : objects) {
    if (object.wanted != Wanted::Network) continue;
    const ObjectHead* cluster = clusters.of(object);
    Decoded decoded =
        decode_network(object, cluster == nullptr ? document::Value() : cluster->root);
    if (decoded.spec && cluster != nullptr) used.insert(cluster);
    networks[&object] = std::move(decoded);
  }

  ManifestSet set{.findings = stream.findings};
  for (const ObjectHead& object : objects) {
    if (!object.wanted)
      set.findings.push_back(object.refusal);
    else if (object.wanted == Wanted::Shoot)
      append(decode_shoot(object), detail, set);
    else if (object.wanted == Wanted::Network)
      append(std::move(networks[&object]), detail, set);
    else if (clusters.is_repeated(object))
      set.findings.push_back(refuse(object.name, object.root, "duplicate-object",
                                    "this file holds another Cluster of this name before",
                                    "keep one of the two"));
    else if (!used.contains(&object))
      append(decode_cluster(object), detail, set);
  }
  return set;
}

}  // namespace overlane::manifest
