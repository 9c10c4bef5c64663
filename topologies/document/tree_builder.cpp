#include "topologies/document/tree_builder.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace overlane::document {
namespace {

Position position_of(const Place& place) {
  return {static_cast<std::uint32_t>(place.line), static_cast<std::uint32_t>(place.column)};
}

}  // namespace

TreeBuilder::TreeBuilder(std::string root_path) : storage_(std::make_shared<TreeStorage>()) {
  storage_->root_path = std::move(root_path);
  storage_->files.emplace_back();
}

void TreeBuilder::in_file(const std::string& file) {
  auto& files = storage_->files;
  if (files[file_] == file) return;
  const auto known = std::ranges::find(files, file);
  file_ = static_cast<std::uint32_t>(known - files.begin());
  if (known == files.end()) files.push_back(file);
}

void TreeBuilder::key(std::string_view text, Position position) {
  key_ = intern(text);
  key_position_ = position;
}

std::uint32_t TreeBuilder::scalar(std::string_view text, bool quoted, Position position) {
  return add({.kind = Kind::Scalar, .quoted = quoted, .text = intern(text)}, position);
}

std::uint32_t TreeBuilder::null(Position position) {
  return add({.kind = Kind::Null}, position);
}

std::uint32_t TreeBuilder::open(Kind kind, Position position) {
  const std::uint32_t node = add({.kind = kind}, position);
  open_.push_back(node);
  return node;
}

void TreeBuilder::close() {
  assert(!open_.empty());
  open_.pop_back();
}

void TreeBuilder::copy(const Value& value) {
  const Place place = value.place();
  in_file(place.file);
  switch (value.kind()) {
    case Kind::Null:
      null(position_of(place));
      return;
    case Kind::Scalar:
      scalar(value.text(), value.quoted(), position_of(place));
      return;
    case Kind::Sequence:
    case Kind::Mapping:
      open(value.kind(), position_of(place));
      for (Value child : value) {
        if (value.is(Kind::Mapping)) key(child.key(), position_of(child.key_place()));
        copy(child);
      }
      close();
      return;
  }
}

void TreeBuilder::copy_own(std::uint32_t node) {
  // By index and with copied text: adding nodes moves the storage.
  const Node source = storage_->nodes[node];
  const Position position{source.line, source.column};
  if (source.kind == Kind::Null) {
    null(position);
  } else if (source.kind == Kind::Scalar) {
    scalar(std::string(storage_->view(source.text)), source.quoted, position);
  } else {
    open(source.kind, position);
    for (auto child = source.first_child; child != kNoNode; child = storage_->nodes[child].next) {
      const Node& entry = storage_->nodes[child];
      if (source.kind == Kind::Mapping)
        key(std::string(storage_->view(entry.key)), {entry.key_line, entry.key_column});
      copy_own(child);
    }
    close();
  }
}

bool TreeBuilder::is_open(std::uint32_t node) const {
  return std::ranges::find(open_, node) != open_.end();
}

Tree TreeBuilder::finish() {
  assert(open_.empty());
  if (storage_->nodes.empty()) return {};
  return Tree(std::move(storage_));
}

std::uint32_t TreeBuilder::add(Node node, Position position) {
  auto& nodes = storage_->nodes;
  const auto id = static_cast<std::uint32_t>(nodes.size());
  node.file = file_;
  node.line = position.line;
  node.column = position.column;
  if (!open_.empty()) {
    node.parent = open_.back();
    Node& parent = nodes[node.parent];
    if (parent.kind == Kind::Mapping) {
      node.key = key_;
      node.key_line = key_position_.line;
      node.key_column = key_position_.column;
    }
    if (parent.last_child != kNoNode) node.index = nodes[parent.last_child].index + 1;
    (parent.first_child == kNoNode ? parent.first_child : nodes[parent.last_child].next) = id;
    parent.last_child = id;
  }
  nodes.push_back(node);
  return id;
}

TextSpan TreeBuilder::intern(std::string_view text) {
  const auto offset = static_cast<std::uint32_t>(storage_->text.size());
  storage_->text.append(text);
  return {offset, static_cast<std::uint32_t>(text.size())};
}

}  // namespace overlane::document
