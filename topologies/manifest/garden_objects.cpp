#include "topologies/manifest/garden_objects.h"

#include <utility>

#include "topologies/manifest/cluster_decoder.h"

namespace overlane::manifest {
namespace {

using document::Problems;
using document::Value;

template <typename T, typename Decode>
std::shared_ptr<const T> decode_embedded(const Value& object, Decode decode) {
  if (!object["spec"]) return nullptr;
  Problems nobody({});
  return std::make_shared<const T>(decode(object, nobody));
}

}  // namespace

template <typename T, typename Decode>
std::shared_ptr<const T> GardenObjects::look_up(
    std::unordered_map<const ObjectHead*, Known<T>>& known, const ObjectHead& object,
    Decode decode) {
  const auto [found, fresh] = known.try_emplace(&object);
  Known<T>& entry = found->second;
  if (!fresh) return entry.value;
  const Value root = object.root;
  const Value spec = root["spec"];
  if (auto finding = unfilled_finding(
          object.name,
          {spec["type"], spec["provider"], spec["networks"], spec["limits"], spec["parent"]},
          root)) {
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
  return look_up<SeedSpec>(seeds_, object, decode_seed);
}

std::shared_ptr<const CloudProfileSpec> GardenObjects::profile(const ObjectHead& object,
                                                               const ObjectHead* parent) {
  const auto inherited =
      parent == nullptr || parent == &object ? nullptr : profile(*parent, nullptr);
  return look_up<CloudProfileSpec>(profiles_, object, [&](const Value& root, Problems& problems) {
    CloudProfileSpec spec = decode_cloud_profile(root, problems);
    if (inherited) inherit(*inherited, spec);
    return spec;
  });
}

const Findings& GardenObjects::findings_of(const ObjectHead& object) const {
  static const Findings kNone;
  if (const auto seed = seeds_.find(&object); seed != seeds_.end()) return seed->second.findings;
  const auto profile = profiles_.find(&object);
  return profile != profiles_.end() ? profile->second.findings : kNone;
}

std::shared_ptr<const SeedSpec> embedded_seed(const ObjectHead& cluster) {
  return decode_embedded<SeedSpec>(cluster.root["spec"]["seed"], decode_seed);
}

std::shared_ptr<const CloudProfileSpec> embedded_profile(const ObjectHead& cluster) {
  return decode_embedded<CloudProfileSpec>(cluster.root["spec"]["cloudProfile"],
                                           decode_cloud_profile);
}

}  // namespace overlane::manifest
