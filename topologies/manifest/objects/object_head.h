#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "topologies/document/syntax/parse.h"
#include "topologies/manifest/fields/given.h"
#include "topologies/manifest/objects/object_kind.h"

namespace overlane::manifest {

/// One Kubernetes object of a stream: a document, or an item of a `kind: List` document.
struct ObjectHead {
  document::Value root;
  SourceLocation place;  ///< Of the root.
  ObjectName name;
  const ObjectKind* kind = nullptr;  ///< nullptr: `refusal` says why the object is not used.
  bool is_whole_shoot = false;       ///< Of Role::Shoot: it is no part of one.
  /// nullptr: it is used. Nearly all objects of a landscape are.
  std::unique_ptr<const Finding> refusal;

  bool is(Role role) const { return kind != nullptr && kind->role == role; }
};

/// Tells objects of the same kind, namespace and name for sets of them.
struct HashOfName {
  std::size_t operator()(const ObjectHead* object) const;
};
struct SameName {
  bool operator()(const ObjectHead* a, const ObjectHead* b) const { return a->name == b->name; }
};

/// Every object of the stream, told apart by kind and apiVersion.
std::vector<ObjectHead> list_objects(const document::Stream& stream);

/// kind, metadata.namespace and metadata.name of an object.
ObjectName name_of(const document::Value& object);

/// A finding about `object` at `value` whose message leads with the object's name.
Finding refuse(const ObjectName& object, const document::Value& value, std::string rule,
               const std::string& message, std::string hint, Severity severity = Severity::Error);

/// What shows that an object was read from a landscape: its uid, resourceVersion or status.
Field<std::string> live_evidence(const document::Value& object);

}  // namespace overlane::manifest
