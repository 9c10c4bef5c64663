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

// An ObjectHead is a Kubernetes object of the input, classified before it is decoded: its name, its
// kind and role for a shoot, or why it is not used. Most objects of a folder concern no shoot,
// because kubectl prints lists of all kinds. A head shares its document's storage; free() releases
// it after decoding, so that memory stays bounded for large landscapes.
//
// Unfilled values must be replaced before a manifest can be used: placeholders of documentation
// (`<some-cidr>`), expressions of templates (`{{ .Values }}`, `$NAME`) and elisions (`...`). They
// are reported instead of the many errors that they would cause as CIDRs or numbers.
//
// The functions are pure; any thread may call them.

/// A value that must be replaced before use.
struct Unfilled {
  document::Value value;
  std::string
      rule;  ///< "placeholder" (`<some-…>`), "template" (`{{ }}`, `${}`, `$NAME`), "elision".
  std::string message;
  std::string hint;
};

/// A quick test whether the document may contain unfilled values. It avoids a search in most
/// documents.
bool may_hold_unfilled(const document::Value& document);

/// The first unfilled scalar at or below `value`, in document order. The placeholder may be a part
/// of the scalar (`garden-<project>`).
std::optional<Unfilled> find_unfilled(const document::Value& value);

/// Like find_unfilled(), but for parts that are not decoded and may contain any text, such as
/// annotations and a status: finds only plain scalars that are `...` or `<some-…>`, or contain
/// `{{ }}`.
std::optional<Unfilled> find_unfinished(const document::Value& value);

/// The role of a document for a shoot.
enum class Role {
  Shoot,    ///< A Shoot of any API, or an object that embeds one.
  Network,  ///< The pod network of a shoot, in a seed.
  Cluster,  ///< A seed's copies of the Shoot, its Seed and its CloudProfile.
  Infrastructure,
  ControlPlane,
  Worker,
  Seed,          ///< A Seed or ManagedSeed.
  CloudProfile,  ///< A CloudProfile or NamespacedCloudProfile.
};
inline constexpr std::size_t kRoles = 8;

/// The kind ManagedSeed: Gardener deploys a gardenlet for it, which creates the Seed of the same
/// name.
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
  bool is_whole_shoot = false;       ///< The object is a complete Shoot, not a patch.
  /// Why the object is not used; nullptr: it is used.
  std::unique_ptr<const Finding> refusal;

  bool is(Role role) const { return kind != nullptr && kind->role == role; }
  /// Releases the document, which is freed unless another object shares it. `root` becomes absent.
  void free() {
    root = {};
    document = {};
  }
};

/// Hash of an object's kind, namespace and name, for sets of objects by name.
struct HashOfName {
  std::size_t operator()(const ObjectHead* object) const;
};
struct SameName {
  bool operator()(const ObjectHead* a, const ObjectHead* b) const { return a->name == b->name; }
};

/// All objects of the documents, classified by kind and apiVersion, in the order of the documents.
/// 0 threads: one per core.
std::vector<ObjectHead> list_objects(const std::vector<document::Tree>& documents,
                                     unsigned threads = 1);

/// kind, metadata.namespace and metadata.name of an object.
ObjectName name_of(const document::Value& object);

/// The finding if the API server refuses `written`, the name or namespace of an object. A name must
/// be a DNS-1123 subdomain, a namespace a DNS-1123 label (IsDNS1123Subdomain and IsDNS1123Label of
/// k8s.io/apimachinery, pkg/util/validation/validation.go, v0.34). Objects with other names are not
/// used, because names become part of printed commands.
std::optional<Finding> refuse_name(const ObjectName& object, const document::Value& written,
                                   bool is_namespace);

/// A finding about `object` at `value`; the message starts with the object's name.
Finding refuse(const ObjectName& object, const document::Value& value, std::string rule,
               const std::string& message, std::string hint, Severity severity = Severity::Error);

/// Evidence that an object was read from a landscape: its uid, resourceVersion or status.
Field<std::string> live_evidence(const document::Value& object);

}  // namespace overlane::manifest
