#include "topologies/manifest/objects/object_head.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/header.h"
#include "topologies/document/read/ordered_work.h"
#include "topologies/document/tree/text_check.h"
#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::manifest {
namespace {

using document::Kind;
using document::Value;

constexpr std::string_view kList = "List";

/// Whether a refused document of this role hides a pod network.
bool describes_network(Role role) {
  return role == Role::Shoot || role == Role::Network || role == Role::Cluster;
}

/// A document of one of this project's kinds, which another reader handles.
Finding refuse_own(const ObjectHead& object) {
  const std::string_view use = document::hint_for_kind(object.name.kind);
  return refuse(
      object.name, object.root["kind"], "unsupported-kind",
      fmt::format("kind {} is not {} here", object.name.kind, use.empty() ? "known" : "used"),
      use.empty() ? document::closest_own_kind(object.name.kind) : std::string(use),
      use.empty() ? Severity::Warning : Severity::Note);
}

bool lacks_kind(const ObjectHead& object) {
  const std::string& kind = object.name.kind;
  return !object.root.is(Kind::Mapping) || kind.empty() || kind == "NetworkConfig";
}

/// Why the object's kind is not read.
Finding refuse_kind(const ObjectHead& object, std::string_view api_version) {
  const Value& root = object.root;
  const std::string_view kind = object.name.kind;
  if (lacks_kind(object))
    return refuse(object.name, root, "unsupported-fragment",
                  kind == "NetworkConfig" ? "a NetworkConfig alone says nothing about a cluster"
                                          : "this is no complete Kubernetes object: it has no kind",
                  "give the whole Shoot or Network that it belongs to");
  if (const ObjectKind* current = find_other_version(kind, api_version))
    return refuse(object.name, root["apiVersion"] ? root["apiVersion"] : root,
                  "unsupported-api-version",
                  fmt::format("{} of apiVersion \"{}\" is not supported", kind, api_version),
                  fmt::format("convert it to {}", current->api_version),
                  describes_network(current->role) ? Severity::Error : Severity::Note);
  if (kind == "Shoot")  // Only Gardener has this kind, so the group is misspelt.
    return refuse(object.name, root["apiVersion"] ? root["apiVersion"] : root,
                  "unsupported-api-version",
                  fmt::format("Shoot of apiVersion \"{}\" is not known", api_version),
                  "write core.gardener.cloud/v1beta1");
  if (document::is_own_api_version(api_version)) return refuse_own(object);
  const std::string_view meant = closest_kind(kind, api_version);
  return refuse(object.name, root["kind"] ? root["kind"] : root, "unsupported-kind",
                fmt::format("kind {} does not describe a pod network; ignored", kind),
                meant.empty() ? "" : fmt::format("did you mean {}?", meant),
                meant.empty() ? Severity::Note : Severity::Warning);
}

ObjectHead head_of(const document::Tree& document, const Value& root) {
  return {.document = document, .root = root, .place = root.place(), .name = name_of(root)};
}

void add_objects(const document::Tree& document, const Value& root, std::string_view list_kind,
                 std::string_view list_version, std::vector<ObjectHead>& objects) {
  const std::string_view kind = root["kind"].text();
  if (kind.ends_with(kList) && root["items"].is(Kind::Sequence)) {
    if (root["items"].size() == 0) {
      ObjectHead empty = head_of(document, root);
      empty.refusal = std::make_unique<const Finding>(
          refuse(empty.name, root["items"], "empty-list",
                 fmt::format("this {} holds no item", kind), "", Severity::Note));
      objects.push_back(std::move(empty));
    }
    for (Value item : root["items"])
      add_objects(document, item, kind.substr(0, kind.size() - kList.size()),
                  root["apiVersion"].text(), objects);
    return;
  }
  // Items of a typed list (ShootList) may omit kind and apiVersion.
  ObjectHead object = head_of(document, root);
  if (object.name.kind.empty()) object.name.kind = list_kind;
  std::string_view version = root["apiVersion"].text();
  if (version.empty()) version = list_version;
  if (!lacks_kind(object)) object.kind = find_object_kind(object.name.kind, version);
  if (object.kind == nullptr)
    object.refusal = std::make_unique<const Finding>(refuse_kind(object, version));
  object.is_whole_shoot = describes_whole_shoot(object);  // While its tree is in the cache.
  objects.push_back(std::move(object));
}

std::vector<ObjectHead> objects_in(std::span<const document::Tree> documents) {
  std::vector<ObjectHead> objects;
  objects.reserve(documents.size());
  const document::ListHead no_list;
  for (const document::Tree& tree : documents) {
    const document::ListHead& list = tree.list() == nullptr ? no_list : *tree.list();
    std::string_view kind = list.kind;
    if (kind.ends_with(kList)) kind.remove_suffix(kList.size());
    add_objects(tree, tree.root(), kind, list.api_version, objects);
  }
  return objects;
}

}  // namespace

std::size_t HashOfName::operator()(const ObjectHead* object) const {
  const std::hash<std::string_view> hash;
  return (hash(object->name.namespace_) * 31 + hash(object->name.name)) * 31 +
         hash(object->name.kind);
}

std::vector<ObjectHead> list_objects(const std::vector<document::Tree>& documents,
                                     unsigned threads) {
  constexpr std::size_t kAtOnce = 4096;
  std::vector<ObjectHead> objects;
  objects.reserve(documents.size());
  document::OrderedWork work(threads);
  for (std::size_t at = 0; at < documents.size(); at += kAtOnce) {
    const auto some = std::span(documents).subspan(at, std::min(kAtOnce, documents.size() - at));
    work.add([&objects, some] {
      return [&objects, part = std::make_shared<std::vector<ObjectHead>>(objects_in(some))] {
        std::ranges::move(*part, std::back_inserter(objects));
      };
    });
  }
  work.finish();
  return objects;
}

ObjectName name_of(const Value& object) {
  const Value metadata = object["metadata"];
  return {std::string(object["kind"].text()), std::string(metadata["namespace"].text()),
          std::string(metadata["name"].text())};
}

Finding refuse(const ObjectName& object, const Value& value, std::string rule,
               const std::string& message, std::string hint, Severity severity) {
  const std::string name = object.qualified();
  return {
      .rule = std::move(rule),
      .severity = severity,
      .message = document::one_line(name.empty() ? message : fmt::format("{}: {}", name, message)),
      .object = object,
      .path = document::one_line(value.path()),
      .place = value.place(),
      .hint = std::move(hint)};
}

Field<std::string> live_evidence(const Value& object) {
  const Value metadata = object["metadata"];
  for (const Value& evidence : {metadata["uid"], metadata["resourceVersion"], object["status"]})
    if (evidence && (evidence.is(Kind::Scalar) || evidence.size() > 0))
      return Located<std::string>{fmt::format("it has a {}", evidence.key()), evidence.key_place(),
                                  document::FieldPath(evidence)};
  return std::nullopt;
}

}  // namespace overlane::manifest
