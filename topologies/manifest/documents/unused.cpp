#include "topologies/manifest/documents/unused.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace overlane::manifest {

std::optional<Finding> not_admitted(const Findings& findings) {
  const auto first = std::ranges::find(findings, Severity::Error, &Finding::severity);
  if (first == findings.end()) return std::nullopt;
  Finding refusal = *first;
  const auto errors = std::ranges::count(findings, Severity::Error, &Finding::severity);
  if (errors > 1) refusal.message += fmt::format(" (and {} more)", errors - 1);
  if (!refusal.hint.empty()) refusal.hint += ' ';
  refusal.hint += fmt::format("(rule {})", refusal.rule);
  refusal.rule = "not-admitted";
  return refusal;
}

namespace {

/// Up to this many objects of a kind get a finding each.
constexpr std::size_t kNamedEach = 3;

bool is_foreign(const ObjectHead& object) {
  return object.kind == nullptr && object.refusal->rule == "unsupported-kind" &&
         object.refusal->severity == Severity::Note;
}

Finding unused(const ObjectHead& object, const std::string& message, std::string hint) {
  return refuse(object.name, object.root, "unused-document", message, std::move(hint),
                Severity::Note);
}

std::string_view type_path(ShootForm form) {
  switch (form) {
    case ShootForm::ManagedSeedSet:
      return "spec.shootTemplate.spec.networking.type";
    case ShootForm::Runtime:
      return "spec.shoot.networking.type";
    case ShootForm::None:
    case ShootForm::Shoot:
    case ShootForm::Shoot2020:
      break;
  }
  return "spec.networking.type";
}

Finding incomplete_shoot(const ObjectHead& object) {
  const ShootView shoot = view_shoot(object, object.root);
  if (shoot.form == ShootForm::Shoot2020)
    return refuse(object.name, object.root, "unsupported-fragment",
                  "only a part of a shoot: it has no spec.cloud", "give the whole Shoot");
  const document::Value networking = shoot.networking();
  const document::Value provider = object.root["spec"]["provider"];
  if (!networking && !misspelt_network_type(shoot) && provider["type"] &&
      provider["workers"].size() == 0)
    return unused(object, "a workerless shoot has no pod network", "");
  return without_network_type(object.name, object.root, shoot, type_path(shoot.form),
                              shoot.form == ShootForm::Runtime
                                  ? "write the type that kyma's controller would fill in"
                                  : "give the whole Shoot (workerless ones have no pod network)");
}

}  // namespace

Finding why_unused(const ObjectHead& object, const Grouping& grouping) {
  const std::string_view kind = object.kind->kind;
  if (const ObjectHead* first = grouping.repeats(object))
    return refuse(object.name, object.root, "duplicate-object",
                  fmt::format("this file holds another {} of this name before, in line {}; this "
                              "one is not used",
                              kind, first->place.line),
                  "keep one of the two");
  if (grouping.is_contested(object))
    return refuse(object.name, object.root, "ambiguous-document",
                  fmt::format("there are several objects that this {} could belong to, or several "
                              "like it; it is not used",
                              kind),
                  "give the documents of one landscape at a time", Severity::Warning);
  switch (object.kind->role) {
    case Role::Shoot:
      return incomplete_shoot(object);
    case Role::Cluster:
      if (auto finding = unknown_embedded_shoot(object)) return *std::move(finding);
      return refuse(object.name, object.root, "unsupported-fragment", "the Cluster embeds no shoot",
                    "give the whole Cluster");
    case Role::Seed:
      return unused(object,
                    fmt::format("no given shoot names this {}, and none without a seed could be "
                                "scheduled to it (by provider type, region, seedSelector and the "
                                "seed's settings.scheduling.visible)",
                                kind),
                    "");
    case Role::CloudProfile:
      return unused(object, fmt::format("no given shoot names this {}", kind), "");
    case Role::Network:
    case Role::Infrastructure:
    case Role::ControlPlane:
    case Role::Worker:
      break;
  }
  return unused(object, fmt::format("the shoot of this {} is not given", kind),
                "give its Shoot, Network or Cluster too");
}

Finding duplicate_in_other_file(const ObjectHead& object, const ObjectHead& first) {
  return refuse(object.name, object.root, "duplicate-object",
                fmt::format("another file of this input holds a {} of this name too ({}); each is "
                            "used by itself",
                            object.kind->kind, first.place.to_string()),
                "give one of the two, unless they are of two landscapes", Severity::Note);
}

ForeignKinds::ForeignKinds(const std::vector<ObjectHead>& objects) {
  for (const ObjectHead& object : objects)
    if (is_foreign(object)) ++kinds_[{file_of(object), object.name.kind}].objects;
}

std::optional<Finding> ForeignKinds::name(const ObjectHead& object) {
  if (!is_foreign(object)) return *object.refusal;
  Kind& kind = kinds_[{file_of(object), object.name.kind}];
  if (kind.objects <= kNamedEach) return *object.refusal;
  if (kind.named) return std::nullopt;
  kind.named = true;
  Finding all = *object.refusal;
  all.object = {.kind = object.name.kind};
  all.message = fmt::format("{} objects of kind {} do not describe a pod network; ignored",
                            kind.objects, object.name.kind);
  return all;
}

}  // namespace overlane::manifest
