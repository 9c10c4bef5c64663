#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "topologies/check/judge.h"
#include "topologies/check/judged_objects.h"
#include "topologies/derive/derive.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/manifest/documents/unused.h"
#include "topologies/update/update.h"

namespace overlane::check {
namespace {

using manifest::PodNetworkSpec;

/// One side of the update, every object by its name: the first that is whole, else the first.
struct Side {
  manifest::ManifestSet set;
  std::map<ObjectName, JudgedObject> objects;

  explicit Side(const document::Stream& stream)
      : set(manifest::decode(stream, manifest::Detail::All)) {
    for (const JudgedObject& object : judged_objects(stream)) {
      JudgedObject& known = objects.try_emplace(object.name, object).first->second;
      if (!known.whole && object.whole) known = object;
    }
  }

  const PodNetworkSpec* find(const ObjectName& name) const {
    const auto found = std::ranges::find(set.clusters, name, &PodNetworkSpec::object);
    return found == set.clusters.end() ? nullptr : &*found;
  }
};

/// Both versions of an object; a part that no document has is absent.
update::ObjectUpdate object_update(const Side& old, const Side& now, const ObjectName& name) {
  const auto parts = [&](const Side& side) -> update::ObjectParts {
    const auto found = side.objects.find(name);
    if (found == side.objects.end()) return {};
    return {found->second.metadata, found->second.spec};
  };
  return {parts(old), parts(now)};
}

Finding no_counterpart(const ObjectName& object, const SourceLocation& place, const char* message) {
  return {.rule = "no-counterpart",
          .severity = Severity::Note,
          .message = fmt::format("{}: {}", object.qualified(), message),
          .object = object,
          .path = "",
          .place = place,
          .hint = "objects are the same by kind, namespace and name"};
}

Findings judge_pair(const Side& old, const Side& now, const PodNetworkSpec& before,
                    const PodNetworkSpec& after, const derive::DeriveOptions& derive) {
  const update::ObjectUpdate object = object_update(old, now, after.object);
  derive::DeriveOptions then = derive;
  const PodNetworkSpec admitted = update::admitted_update(before, after, derive, then.stage);
  Findings findings = judge(admitted, now.set.findings, then);
  append(update::judge_update(object, before, after, derive), findings);
  return findings;
}

/// What an input of old manifests that cannot be used hides.
Findings unusable(const Findings& findings, const RuleBook& book) {
  Findings errors = findings;
  std::erase_if(errors, [&](const Finding& finding) {
    const rules::Rule* rule = book.find(finding.rule);
    return finding.severity < Severity::Error || rule == nullptr ||
           rule->enforcer != rules::Enforcer::Reader;
  });
  return errors;
}

/// Old objects that are no pod network any more, or are gone.
void judge_rest(const Side& old, const Side& now, CheckReport& report) {
  for (const PodNetworkSpec& before : old.set.clusters) {
    if (now.find(before.object) != nullptr) continue;
    const auto object = now.objects.find(before.object);
    if (object == now.objects.end()) {
      report.findings.push_back(no_counterpart(before.object, before.place,
                                               "only the old manifests have it; it is not judged"));
      continue;
    }
    const PodNetworkSpec after{.object = before.object, .place = object->second.place};
    report.shoots.push_back({after.object, after.place});
    ++*report.updates;
    append(update::judge_object(object_update(old, now, before.object), after), report.findings);
  }
}

/// Network types that only the old manifests describe; what both describe is described anew.
void take_unknown_providers(document::Stream& stream, derive::DeclarativeExtensions& known) {
  derive::DeclarativeExtensions declarative;
  derive::take_network_providers(stream, declarative);
  for (const auto& extension : declarative)
    if (derive::extension_of(extension->type(), known) == nullptr) known.push_back(extension);
}

/// The documents of these objects alone.
document::Stream documents_of(const document::Stream& stream,
                              const std::map<ObjectName, JudgedObject>& objects) {
  std::set<SourceLocation> wanted;
  for (const JudgedObject& object : judged_objects(stream))
    if (objects.contains(object.name)) wanted.insert(object.place);
  document::Stream some;
  for (const document::Tree& tree : stream.documents)
    if (wanted.contains(tree.root().place())) some.documents.push_back(tree);
  return some;
}

/// Where an object has what a path of its update's findings leads to, or as much of it as there is.
SourceLocation place_in(const JudgedObject& object, std::string_view path) {
  constexpr std::string_view kSpec = "spec.";
  const std::size_t begin = path.find(kSpec);
  document::Value value = object.spec;
  if (begin == std::string_view::npos || !value) return object.place;
  path.remove_prefix(begin + kSpec.size());
  path = path.substr(0, path.find('['));  // The old list may have another order.
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const document::Value next = value[path.substr(0, dot)];
    if (!next) break;
    value = next;
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  return value.place();
}

}  // namespace

Findings refused_updates(const document::Stream& before, const document::Stream& after,
                         const derive::DeriveOptions& options) {
  const Side now(after);
  const Side old(documents_of(before, now.objects));
  const RuleBook book;
  Findings refused;
  for (const PodNetworkSpec& spec : now.set.clusters) {
    const PodNetworkSpec* running = old.find(spec.object);
    if (running == nullptr || derive::stage_of(*running, options.stage) != effective::Stage::Live)
      continue;
    const update::ObjectUpdate object = object_update(old, now, spec.object);
    for (Finding& finding : update::judge_update(object, *running, spec, options)) {
      if (book.find(finding.rule)->enforcer != rules::Enforcer::Admission) continue;
      const auto known = old.objects.find(spec.object);
      const SourceLocation place =
          known == old.objects.end() ? running->place : place_in(known->second, finding.path);
      finding.message += fmt::format(
          "; the running one is at {}, and only creating it anew changes that", place.to_string());
      if (auto refusal = manifest::not_admitted({std::move(finding)}))
        refused.push_back(*std::move(refusal));
    }
  }
  return refused;
}

CheckReport check_update(const document::Stream& before, const document::Stream& after,
                         const CheckOptions& options) {
  document::Stream old_manifests = before;
  document::Stream new_manifests = after;
  const Choice choice(new_manifests, options.selection);
  derive::DeriveOptions derive = choice.overlooking(options.derive);
  derive::take_network_providers(new_manifests, derive.declarative);
  take_unknown_providers(old_manifests, derive.declarative);
  const Side old(old_manifests);
  const Side now(new_manifests);

  CheckReport report{.shoots = {},
                     .findings = unusable(old.set.findings, choice.book()),
                     .updates = 0,
                     .silenced = {}};
  append(now.set.findings, report.findings);
  for (const PodNetworkSpec& spec : now.set.clusters) {
    report.shoots.push_back({spec.object, spec.place});
    if (const PodNetworkSpec* partner = old.find(spec.object)) {
      ++*report.updates;
      append(judge_pair(old, now, *partner, spec, derive), report.findings);
    } else {
      report.findings.push_back(no_counterpart(
          spec.object, spec.place, "only the new manifests have it; it is judged as created"));
      append(judge(spec, now.set.findings, derive), report.findings);
    }
  }
  for (const PodNetworkSpec& fragment : now.set.fragments)
    append(derive::judge_config(fragment, derive), report.findings);
  judge_rest(old, now, report);
  finish(report, new_manifests, choice);
  return report;
}

}  // namespace overlane::check
