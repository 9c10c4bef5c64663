#include "topologies/document/tree.h"

#include <algorithm>

#include <fmt/format.h>

#include "topologies/document/scalar.h"
#include "topologies/document/tree_storage.h"

namespace overlane::document {
namespace {

Place place_of(const TreeStorage& storage, const Node& node, std::uint32_t line,
               std::uint32_t column) {
  return {storage.files[node.file], static_cast<int>(line), static_cast<int>(column)};
}

}  // namespace

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::Null:
      return "null";
    case Kind::Scalar:
      return "a single value";
    case Kind::Sequence:
      return "a list";
    case Kind::Mapping:
      return "a mapping";
  }
  return "";
}

std::string_view describe(ScalarType type) {
  switch (type) {
    case ScalarType::String:
      return "a string";
    case ScalarType::Bool:
      return "a boolean";
    case ScalarType::Integer:
      return "an integer";
    case ScalarType::Float:
      return "a number";
  }
  return "";
}

Kind Value::kind() const {
  return exists() ? storage_->nodes[node_].kind : Kind::Null;
}

std::string_view Value::text() const {
  return exists() ? storage_->view(storage_->nodes[node_].text) : std::string_view();
}

bool Value::quoted() const {
  return exists() && storage_->nodes[node_].quoted;
}

ScalarType Value::scalar_type() const {
  return quoted() ? ScalarType::String : plain_scalar_type(text());
}

std::optional<bool> Value::as_bool() const {
  if (!is(Kind::Scalar) || quoted()) return std::nullopt;
  return parse_bool(text());
}

std::optional<std::int64_t> Value::as_integer() const {
  if (!is(Kind::Scalar) || quoted()) return std::nullopt;
  return parse_integer(text());
}

std::optional<double> Value::as_number() const {
  if (!is(Kind::Scalar) || quoted()) return std::nullopt;
  if (const auto integer = parse_integer(text())) return static_cast<double>(*integer);
  return parse_float(text());
}

Value Value::operator[](std::string_view key) const {
  if (!is(Kind::Mapping)) return {};
  for (Value entry : *this)
    if (entry.key() == key) return entry;
  return {};
}

std::size_t Value::size() const {
  return static_cast<std::size_t>(std::ranges::distance(begin(), end()));
}

std::string_view Value::key() const {
  return exists() ? storage_->view(storage_->nodes[node_].key) : std::string_view();
}

Place Value::place() const {
  if (!exists()) return {};
  const Node& node = storage_->nodes[node_];
  return place_of(*storage_, node, node.line, node.column);
}

Place Value::key_place() const {
  if (!exists()) return {};
  const Node& node = storage_->nodes[node_];
  if (node.key_line == 0) return place();
  return place_of(*storage_, node, node.key_line, node.key_column);
}

std::string Value::path() const {
  if (!exists()) return {};
  const Node& node = storage_->nodes[node_];
  if (node.parent == kNoNode) return storage_->root_path;
  const Value parent(storage_, node.parent);
  const std::string above = parent.path();
  if (parent.is(Kind::Sequence)) return fmt::format("{}[{}]", above, node.index);
  return above.empty() ? std::string(key()) : fmt::format("{}.{}", above, key());
}

bool Value::is_entry() const {
  if (!exists()) return false;
  const std::uint32_t parent = storage_->nodes[node_].parent;
  if (parent == kNoNode) return !storage_->root_path.empty();
  return storage_->nodes[parent].kind == Kind::Mapping;
}

Value::Iterator& Value::Iterator::operator++() {
  node_ = storage_->nodes[node_].next;
  return *this;
}

Value::Iterator Value::begin() const {
  return {storage_, exists() ? storage_->nodes[node_].first_child : kNoNode};
}

Value::Iterator Value::end() const {
  return {storage_, kNoNode};
}

}  // namespace overlane::document
