#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/manifest/objects/object_kind.h"

namespace overlane::manifest {

/// One Kubernetes object of a stream: a document, or an item of a `kind: List` document.
struct ObjectHead {
  document::Tree document;  ///< Contains the object.
  document::Value root;
  SourceLocation place;  ///< Of the root.
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
