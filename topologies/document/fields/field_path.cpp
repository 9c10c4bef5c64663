#include "topologies/document/fields/field_path.h"

#include <utility>

#include "topologies/document/tree/tree_storage.h"

namespace overlane::document {

FieldPath::FieldPath(const Value& value) {
  if (!value.exists()) return;
  owner_ = value.storage_->shared_from_this();
  node_ = value.node_;
}

FieldPath::FieldPath(std::string path) {
  if (!path.empty()) owner_ = std::make_shared<const std::string>(std::move(path));
}

std::string FieldPath::to_string() const {
  if (owner_ == nullptr) return {};
  if (node_ == kText) return *static_cast<const std::string*>(owner_.get());
  return Value(static_cast<const TreeStorage*>(owner_.get()), node_).path();
}

std::string FieldPath::within_object() const {
  if (owner_ == nullptr || node_ == kText) return to_string();
  return Value(static_cast<const TreeStorage*>(owner_.get()), node_).path_within_object();
}

bool FieldPath::operator==(const FieldPath& other) const {
  if (owner_ == other.owner_ && node_ == other.node_) return true;
  return to_string() == other.to_string();
}

}  // namespace overlane::document
