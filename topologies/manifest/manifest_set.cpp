#include "topologies/manifest/manifest_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "topologies/manifest/cluster_decoder.h"
#include "topologies/manifest/object_head.h"

namespace overlane::manifest {
namespace {

using Wanted = ObjectHead::Wanted;

/// The embedded shoot of every Cluster, by the Cluster's name (the shoot's technical id).
std::map<std::string, document::Value> clusters_by_name(const std::vector<ObjectHead>& objects) {
  std::map<std::string, document::Value> clusters;
  for (const ObjectHead& object : objects)
    if (object.wanted == Wanted::Cluster) clusters[object.name.name] = object.root;
  return clusters;
}

void append(Decoded decoded, ManifestSet& set) {
  if (decoded.spec) set.clusters.push_back(*std::move(decoded.spec));
  set.findings.insert(set.findings.end(), decoded.findings.begin(), decoded.findings.end());
}

}  // namespace

ManifestSet decode(const document::Stream& stream) {
  const std::vector<ObjectHead> objects = list_objects(stream);
  const auto clusters = clusters_by_name(objects);

  // Networks first: a Cluster that one of them uses is not reported by itself.
  std::map<const ObjectHead*, Decoded> networks;
  std::set<std::string> used;
  for (const ObjectHead& object : objects) {
    if (object.wanted != Wanted::Network) continue;
    const auto cluster = clusters.find(object.name.namespace_);
    Decoded decoded =
        decode_network(object, cluster == clusters.end() ? document::Value() : cluster->second);
    if (decoded.spec) used.insert(object.name.namespace_);
    networks[&object] = std::move(decoded);
  }

  ManifestSet set{.findings = stream.findings};
  for (const ObjectHead& object : objects) {
    if (!object.wanted)
      set.findings.push_back(object.refusal);
    else if (object.wanted == Wanted::Shoot)
      append(decode_shoot(object), set);
    else if (object.wanted == Wanted::Network)
      append(std::move(networks[&object]), set);
    else if (!used.contains(object.name.name))
      append(decode_cluster(object), set);
  }
  return set;
}

}  // namespace overlane::manifest
