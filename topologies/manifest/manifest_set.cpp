#include "topologies/manifest/manifest_set.h"

#include <set>
#include <utility>

#include "topologies/manifest/fragment.h"
#include "topologies/manifest/joined_shoot.h"
#include "topologies/manifest/unused.h"

namespace overlane::manifest {

namespace {

/// What is wrong with a part counts for more than that it is none.
void add_fragment(Decoded decoded, Detail detail, ManifestSet& set) {
  if (decoded.spec && detail == Detail::Summary) {
    const Finding incomplete = std::move(decoded.findings.back());
    decoded.findings.pop_back();
    decoded.findings = {not_admitted(decoded.findings).value_or(incomplete)};
  }
  if (decoded.spec) set.fragments.push_back(*std::move(decoded.spec));
  set.findings.insert(set.findings.end(), decoded.findings.begin(), decoded.findings.end());
}

}  // namespace

ManifestSet decode(const document::Stream& stream, Detail detail) {
  const std::vector<ObjectHead> objects = list_objects(stream);
  const Grouping grouping(objects);
  ForeignKinds foreign(objects);
  GardenObjects garden(detail);

  ManifestSet set{.findings = stream.findings};
  const auto by_name = [](const ObjectHead* a, const ObjectHead* b) { return a->name < b->name; };
  std::set<const ObjectHead*, decltype(by_name)> leaders(by_name);
  const auto add = [&](const Findings& findings) {
    set.findings.insert(set.findings.end(), findings.begin(), findings.end());
  };
  for (const ObjectHead& object : objects) {
    if (auto fragment = decode_fragment(object)) {
      add_fragment(*std::move(fragment), detail, set);
    } else if (object.kind == nullptr) {
      if (auto finding = foreign.name(object)) set.findings.push_back(*std::move(finding));
    } else if (const ShootDocuments* documents = grouping.led_by(object)) {
      Decoded joined = decode_joined(*documents, garden, detail);
      if (joined.spec) set.clusters.push_back(*std::move(joined.spec));
      add(joined.findings);
      const auto [first, fresh] = leaders.insert(&object);
      if (!fresh && !object.name.name.empty()) set.findings.push_back(told_twice(object, **first));
    } else if (!grouping.is_used(object)) {
      if (object.is(Role::Seed)) garden.seed(object);
      set.findings.push_back(why_unused(object, grouping));
    }
  }
  for (const ObjectHead& object : objects)
    add(garden.findings_of(object));
  return set;
}

}  // namespace overlane::manifest
