#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/document/tree/tree.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

// Every Kubernetes object of the input, classified before anything is decoded: its name, its kind
// and role for a shoot, or why it is not used. kubectl prints lists of everything, so most objects
// of a folder concern no shoot. Classification does not decode the object. A head shares its
// document's storage; free() releases it after decoding, so that memory stays bounded for large
// landscapes.

// Values that someone has to replace before a manifest can be used: placeholders of documentation
// (`<some-cidr>`), expressions of templates (`{{ .Values }}`, `$NAME`) and elisions (`...`). They
// are reported instead of the many errors that they would cause as CIDRs or numbers. A document is
// tested quickly first, since most have none.

/// A value that must be replaced before use.
struct Unfilled {
  document::Value value;
  std::string
      rule;  ///< "placeholder" (`<some-…>`), "template" (`{{ }}`, `${}`, `$NAME`), "elision".
  std::string message;
  std::string hint;
};

/// Quick test whether the document may hold such values: most documents contain none of the
/// markers.
bool may_hold_unfilled(const document::Value& document);

/// The first such scalar at or below `value`, in document order, also if the placeholder is only a
/// part of it (`garden-<project>`).
std::optional<Unfilled> find_unfilled(const document::Value& value);

/// find_unfilled() for parts that are not decoded and may hold any text, such as annotations and a
/// status: only a plain scalar that is `...` or `<some-…>`, or contains `{{ }}`.
std::optional<Unfilled> find_unfinished(const document::Value& value);

/// The role of a document for a shoot.
enum class Role {
  Shoot,    ///< A Shoot of any API, or an object that embeds one.
  Network,  ///< The pod network of a shoot, in a seed.
  Cluster,  ///< A seed's copies of the Shoot, its Seed and its CloudProfile.
  Infrastructure,
  ControlPlane,
  Worker,
  Seed,          ///< A ManagedSeed too.
  CloudProfile,  ///< A NamespacedCloudProfile too.
};
inline constexpr std::size_t kRoles = 8;

/// A Seed with a gardenlet that Gardener deploys: the Seed of the same name is created from it.
inline constexpr std::string_view kManagedSeed = "ManagedSeed";

/// Where and in which format a document contains a shoot.
enum class ShootForm {
  None,
  Shoot,           ///< metadata, spec and status.
  Shoot2020,       ///< garden.sapcloud.io/v1beta1: the provider's part is under spec.cloud.
  ManagedSeedSet,  ///< spec.shootTemplate.
  Runtime,         ///< spec.shoot: a shoot's spec with a name.
};

/// One supported kind of document.
struct ObjectKind {
  std::string_view kind;
  std::string_view api_version;
  Role role;
  ShootForm form = ShootForm::None;
};

/// The row of a kind and apiVersion, or nullptr.
const ObjectKind* find_object_kind(std::string_view kind, std::string_view api_version);

/// The first row of a kind with another Gardener apiVersion; nullptr if the kind is not supported.
/// Other projects also have kinds named Network and Cluster.
const ObjectKind* find_other_version(std::string_view kind, std::string_view api_version);

/// The supported kind that is closest to a misspelt `kind` in a Gardener API group; empty: none.
std::string_view closest_kind(std::string_view kind, std::string_view api_version);

/// One Kubernetes object of a stream: a document, or an item of a `kind: List` document.
struct ObjectHead {
  document::Tree document;  ///< Contains the object.
  document::Value root;
  SourceLocation place;  ///< Location of the root.
  ObjectName name;
  const ObjectKind* kind = nullptr;  ///< nullptr: `refusal` says why the object is not used.
  bool is_whole_shoot = false;       ///< For Role::Shoot: not a patch.
  /// nullptr: the object is used, as nearly all are.
  std::unique_ptr<const Finding> refusal;

  bool is(Role role) const { return kind != nullptr && kind->role == role; }
  /// Frees the document, unless something else refers to it; the object has no `root` any more.
  void free() {
    root = {};
    document = {};
  }
};

/// Hash of kind, namespace and name.
struct HashOfName {
  std::size_t operator()(const ObjectHead* object) const;
};
struct SameName {
  bool operator()(const ObjectHead* a, const ObjectHead* b) const { return a->name == b->name; }
};

/// Every object of the documents, classified by kind and apiVersion. 0 threads: one per core.
std::vector<ObjectHead> list_objects(const std::vector<document::Tree>& documents,
                                     unsigned threads = 1);

/// kind, metadata.namespace and metadata.name of an object.
ObjectName name_of(const document::Value& object);

/// Why `written`, the name or namespace of an object, is none that the API server accepts:
/// DNS-1123, a subdomain or (`is_namespace`) a label (IsDNS1123Subdomain and IsDNS1123Label of
/// k8s.io/apimachinery, pkg/util/validation/validation.go, v0.34). Names become part of printed
/// commands, so no other one is used.
std::optional<Finding> refuse_name(const ObjectName& object, const document::Value& written,
                                   bool is_namespace);

/// A finding about `object` at `value`; the message starts with the object's name.
Finding refuse(const ObjectName& object, const document::Value& value, std::string rule,
               const std::string& message, std::string hint, Severity severity = Severity::Error);

/// Evidence that an object was read from a landscape: its uid, resourceVersion or status.
Field<std::string> live_evidence(const document::Value& object);

}  // namespace overlane::manifest
