#include "topologies/check/check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "results/base/text.h"
#include "results/finding/finding.h"
#include "topologies/check/choice.h"
#include "topologies/derive/derive.h"
#include "topologies/domains/merge.h"
#include "topologies/live/live.h"
#include "topologies/manifest/documents/manifest_set.h"
#include "topologies/update/update.h"

namespace overlane::check {

namespace {

/// Whether one of two field paths leads to the other's field or into it.
bool meet(const std::string& a, const std::string& b) {
  const auto [shorter, longer] =
      std::minmax(a, b, [](const auto& x, const auto& y) { return x.size() < y.size(); });
  if (!longer.starts_with(shorter)) return false;
  return shorter.empty() || longer.size() == shorter.size() || longer[shorter.size()] == '.' ||
         longer[shorter.size()] == '[';
}

bool took_part(const ObjectName& object, const manifest::PodNetworkSpec& spec) {
  return object == spec.object ||
         std::ranges::find(spec.sources, object, &manifest::Source::object) != spec.sources.end();
}

/// Sorts by file in input order, then by line and column. Files without a document come last.
void sort_by_place(const document::Stream& stream, Findings& findings) {
  std::map<std::string, std::size_t> rank;
  for (const document::Tree& tree : stream.documents)
    rank.emplace(tree.root().place().file, rank.size());
  for (const Finding& finding : findings)
    rank.emplace(finding.place.file, rank.size());
  std::ranges::stable_sort(findings, {}, [&](const Finding& finding) {
    return std::tuple(rank.at(finding.place.file), finding.place.line, finding.place.column);
  });
}

Findings judge(const manifest::PodNetworkSpec& spec, const Findings& decoded,
               const derive::DeriveOptions& derive) {
  Findings findings = derive::examine(spec, derive).findings;
  std::vector<std::string> unread;
  bool ended = false;
  for (const Finding& finding : decoded) {
    if (finding.severity < Severity::Error || !took_part(finding.object, spec)) continue;
    unread.push_back(finding.path);
    ended = ended || !derive.overlooks || !derive.overlooks(finding);
  }
  std::erase_if(findings, [&](const Finding& finding) {
    return (ended && finding.severity < Severity::Error) ||
           std::ranges::any_of(unread,
                               [&](const std::string& path) { return meet(path, finding.path); });
  });
  return findings;
}

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

void finish(CheckReport& report, const document::Stream& stream, const Choice& choice) {
  append(choice.findings(), report.findings);
  std::set<ObjectName> in_part;
  const auto hide = [&](const Finding& finding) {
    if (choice.hides_lost_value(finding)) in_part.insert(finding.object);
    if (!choice.wants(finding)) {
      if (choice.is_unusable(finding)) ++report.left_out;
      return true;
    }
    if (!choice.silences(finding)) return false;
    report.silenced.push_back(finding);
    return true;
  };
  std::erase_if(report.findings, hide);
  report.judged_in_part = in_part.size();
  sort_by_place(stream, report.findings);
  sort_by_place(stream, report.silenced);
}

}  // namespace

std::size_t CheckReport::count(Severity severity) const {
  return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
}

CheckReport check(const document::Stream& stream, const CheckOptions& options) {
  document::Stream manifests = stream;
  const Choice choice(manifests, options.selection);
  derive::DeriveOptions derive = choice.overlooking(options.derive);
  derive::take_network_providers(manifests, derive.declarative);
  const manifest::ManifestSet set = manifest::decode(manifests, manifest::Detail::All);

  CheckReport report{.shoots = {}, .findings = set.findings, .updates = {}, .silenced = {}};
  for (const manifest::PodNetworkSpec& spec : set.clusters) {
    report.shoots.push_back({spec.object, spec.place});
    append(judge(spec, set.findings, derive), report.findings);
  }
  for (const manifest::PodNetworkSpec& fragment : set.fragments)
    append(derive::judge_config(fragment, derive), report.findings);
  append(domains::judge(manifests), report.findings);
  finish(report, manifests, choice);
  return report;
}

std::string summary(const CheckReport& report) {
  std::string text = counted(report.shoots.size(), "shoot");
  if (report.updates) text += fmt::format(", {} of them updated", *report.updates);
  if (report.compared)
    text += fmt::format(", compared with {}", counted(*report.compared, "object"));
  text += fmt::format(", {}, {}", counted(report.count(Severity::Error), "error"),
                      counted(report.count(Severity::Warning), "warning"));
  if (const std::size_t notes = report.count(Severity::Note)) text += ", " + counted(notes, "note");
  if (!report.silenced.empty())
    text += fmt::format(", {} silenced by annotations", report.silenced.size());
  if (report.judged_in_part > 0)
    text += fmt::format(", {} judged only in part", counted(report.judged_in_part, "object"));
  if (report.left_out > 0)
    text += fmt::format(", {} left out", counted(report.left_out, "document"));
  return text;
}

answer::Document check_document(const CheckReport& report) {
  const bool has_errors = report.count(Severity::Error) > 0;
  const bool has_doubts = report.count(Severity::Warning) + report.judged_in_part > 0;
  answer::Section result{.heading = "",
                         .blocks = {answer::Paragraph{.tone = has_errors   ? answer::Tone::Bad
                                                              : has_doubts ? answer::Tone::Warning
                                                                           : answer::Tone::Good,
                                                      .label = "result",
                                                      .text = summary(report)}}};
  answer::Section findings = answer::remarks(report.findings);
  findings.heading = "findings";
  answer::Section silenced = answer::remarks(report.silenced);
  silenced.heading = "silenced by annotations";
  answer::Document document{
      .title = "Check of " + counted(report.shoots.size(), "shoot"),
      .sections = {std::move(result), std::move(findings), std::move(silenced)},
      .overview = {.origin = "derived from manifests",
                   .subject = "",
                   .highlights = {{"errors", counted(report.count(Severity::Error), "error")},
                                  {"warnings", counted(report.count(Severity::Warning), "warning")},
                                  {"notes", counted(report.count(Severity::Note), "note")}}}};
  std::erase_if(document.sections,
                [](const answer::Section& section) { return section.blocks.empty(); });
  return document;
}

report::FindingSet finding_set(const CheckReport& report) {
  report::FindingSet set{
      .verb = "check", .findings = report.findings, .suppressed = report.silenced};
  for (const CheckReport::Shoot& shoot : report.shoots)
    set.subjects.push_back(shoot.name.qualified());
  return set;
}

nlohmann::ordered_json encode(const CheckReport& report) {
  nlohmann::ordered_json summary{{"shoots", report.shoots.size()},
                                 {"errors", report.count(Severity::Error)},
                                 {"warnings", report.count(Severity::Warning)},
                                 {"notes", report.count(Severity::Note)},
                                 {"silenced", report.silenced.size()},
                                 {"judged_in_part", report.judged_in_part},
                                 {"left_out", report.left_out}};
  if (report.updates) summary["updates"] = *report.updates;
  if (report.compared) summary["compared"] = *report.compared;
  return {{"schema_version", 1},
          {"kind", "CheckReport"},
          {"findings", overlane::encode(report.findings)},
          {"silenced", overlane::encode(report.silenced)},
          {"summary", std::move(summary)}};
}

namespace {

using manifest::PodNetworkSpec;

/// The shoots named `shoot` ("namespace/name"); all shoots if the name is empty.
std::vector<const PodNetworkSpec*> meant(const manifest::ManifestSet& set,
                                         const std::string& shoot) {
  std::vector<const PodNetworkSpec*> specs;
  for (const PodNetworkSpec& spec : set.clusters)
    if (shoot.empty() || spec.object.qualified() == shoot) specs.push_back(&spec);
  return specs;
}

}  // namespace

Parsed<CheckReport> check_live(const document::Stream& stream, const document::Stream& observed,
                               const std::string& shoot, const CheckOptions& options) {
  document::Stream manifests = stream;
  const Choice choice(manifests, options.selection);
  derive::DeriveOptions derive = choice.overlooking(options.derive);
  derive::take_network_providers(manifests, derive.declarative);
  const manifest::ManifestSet set = manifest::decode(manifests, manifest::Detail::All);
  const std::vector<const PodNetworkSpec*> specs = meant(set, shoot);
  if (specs.empty() && !set.clusters.empty())
    return fail(fmt::format("there is no shoot {}; give one as namespace/name", shoot));
  if (specs.size() > 1)
    return fail(
        fmt::format("there are {} shoots, and a cluster is compared with one; choose one "
                    "with --shoot",
                    specs.size()));

  const live::Observed cluster = live::decode_observed(observed);
  CheckReport report{
      .shoots = {}, .findings = set.findings, .compared = cluster.objects, .silenced = {}};
  append(cluster.findings, report.findings);
  for (const PodNetworkSpec* spec : specs) {
    report.shoots.push_back({spec->object, spec->place});
    append(judge(*spec, set.findings, derive), report.findings);
    if (const auto expected = derive::derive(*spec, derive))
      append(live::compare({{*spec, *expected}, cluster}), report.findings);
  }
  finish(report, manifests, choice);
  return report;
}

namespace {

/// The manifests before or after the update. `objects` has one document for each name: the first
/// whole one, or else the first partial one.
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

/// The errors about old manifests that cannot be read: their objects may lack an older version.
Findings unusable(const Findings& findings, const RuleBook& book) {
  Findings errors = findings;
  std::erase_if(errors, [&](const Finding& finding) {
    const rules::Rule* rule = book.find(finding.rule);
    return finding.severity < Severity::Error || rule == nullptr ||
           rule->enforcer != rules::Enforcer::Reader;
  });
  return errors;
}

/// Judges old pod networks that the new manifests lack: the object is gone, which gives a note, or
/// it has no pod network any more.
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

/// Adds the network types that only the old manifests describe. If both describe a type, the
/// description in the new manifests counts.
void take_unknown_providers(document::Stream& stream, derive::DeclarativeExtensions& known) {
  derive::DeclarativeExtensions declarative;
  derive::take_network_providers(stream, declarative);
  for (const auto& extension : declarative)
    if (derive::extension_of(extension->type(), known) == nullptr) known.push_back(extension);
}

/// Whether the later version was made from the earlier one and not stored since: its spec differs,
/// and its uid, resourceVersion and generation are the same or absent.
bool is_edit(const update::ObjectUpdate& object) {
  constexpr std::string_view kSetOnStorage[] = {"uid", "resourceVersion", "generation"};
  const bool is_stored = std::ranges::any_of(kSetOnStorage, [&](std::string_view key) {
    const document::Value before = object.before.metadata[key];
    const document::Value after = object.after.metadata[key];
    return before && after && !update::same_value(before, after);
  });
  return !is_stored && !update::same_value(object.before.spec, object.after.spec);
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

/// The location in `object` of the field `path` of a finding about its update, or of the innermost
/// enclosing field that the object has.
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

explain::Admission admission_of_update(const document::Stream& before,
                                       const document::Stream& after,
                                       const derive::DeriveOptions& options) {
  struct Versions {
    Side old;
    Side now;
    derive::DeriveOptions options;
  };
  document::Stream old_manifests = before;
  document::Stream new_manifests = after;
  derive::DeriveOptions derive = options;
  derive::take_network_providers(old_manifests, derive.declarative);
  take_unknown_providers(new_manifests, derive.declarative);
  const auto versions =
      std::make_shared<const Versions>(Side(old_manifests), Side(new_manifests), std::move(derive));
  return [versions](PodNetworkSpec spec, derive::StageChoice& stage) {
    const PodNetworkSpec* stored = versions->old.find(spec.object);
    if (stored == nullptr || !is_edit(object_update(versions->old, versions->now, spec.object)))
      return spec;
    return update::admitted_update(*stored, spec, versions->options, stage);
  };
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
