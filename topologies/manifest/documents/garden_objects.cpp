#include "topologies/manifest/documents/garden_objects.h"

#include <utility>

#include "topologies/manifest/documents/document_decoder.h"

namespace overlane::manifest {

namespace {

using document::Problems;
using document::Value;

/// An embedded object may lack its name in the garden.
template <typename T>
std::shared_ptr<const T> named(T read, const ObjectHead& cluster) {
  if (read.name.empty()) read.name = "of the Cluster " + cluster.name.name;
  return std::make_shared<const T>(std::move(read));
}

}  // namespace

template <typename T, typename Decode>
std::shared_ptr<const T> GardenObjects::look_up(
    std::unordered_map<const ObjectHead*, Known<T>>& known, const ObjectHead& object,
    const Value& root, Decode decode) {
  const std::scoped_lock lock(mutex_);
  const auto [found, fresh] = known.try_emplace(&object);
  Known<T>& entry = found->second;
  if (!fresh) return entry.value;
  const Value spec = root["spec"];
  if (auto finding = unfilled_finding(
          object.name,
          {spec["type"], spec["provider"], spec["networks"], spec["limits"], spec["parent"]},
          object.root)) {
    entry.findings = {*std::move(finding)};
    return nullptr;
  }
  Problems problems(object.name);
  auto value = std::make_shared<const T>(decode(root, problems));
  entry.findings = problems.findings();
  if (detail_ == Detail::Summary)
    if (auto refusal = not_admitted(entry.findings)) {
      entry.findings = {*std::move(refusal)};
      return nullptr;
    }
  return entry.value = std::move(value);
}

std::shared_ptr<const SeedSpec> GardenObjects::seed(const ObjectHead& object) {
  if (object.name.kind != kManagedSeed)
    return look_up<SeedSpec>(seeds_, object, object.root, decode_seed);
  const Value root = object.root["spec"]["gardenlet"]["config"]["seedConfig"];
  if (!root["spec"]) return nullptr;
  return look_up<SeedSpec>(seeds_, object, root, [&](const Value& seed, Problems& problems) {
    SeedSpec read = decode_seed(seed, problems);
    read.name = object.name.name;
    return read;
  });
}

std::shared_ptr<const CloudProfileSpec> GardenObjects::profile(const ObjectHead& object,
                                                               const ObjectHead* parent) {
  const auto inherited =
      parent == nullptr || parent == &object ? nullptr : profile(*parent, nullptr);
  const auto decode = [&](const Value& root, Problems& problems) {
    CloudProfileSpec spec = decode_cloud_profile(root, problems);
    if (inherited) inherit(*inherited, spec);
    return spec;
  };
  return look_up<CloudProfileSpec>(profiles_, object, object.root, decode);
}

const Findings& GardenObjects::findings_of(const ObjectHead& object) const {
  static const Findings kNone;
  if (const auto seed = seeds_.find(&object); seed != seeds_.end()) return seed->second.findings;
  const auto profile = profiles_.find(&object);
  return profile != profiles_.end() ? profile->second.findings : kNone;
}

std::shared_ptr<const SeedSpec> embedded_seed(const ObjectHead& cluster, Problems& problems) {
  const Value seed = cluster.root["spec"]["seed"];
  return seed["spec"] ? named(decode_seed(seed, problems), cluster) : nullptr;
}

std::shared_ptr<const CloudProfileSpec> embedded_profile(const ObjectHead& cluster,
                                                         Problems& problems) {
  const Value profile = cluster.root["spec"]["cloudProfile"];
  if (!profile["spec"]) return nullptr;
  CloudProfileSpec read = decode_cloud_profile(profile, problems);
  if (read.kind.empty()) read.kind = "CloudProfile";
  return named(std::move(read), cluster);
}

}  // namespace overlane::manifest
