#include "topologies/document/tree/tree_builder.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/tree.h"

namespace overlane::document {

namespace {

constexpr std::uint32_t kOpen = ~std::uint32_t{0};

/// Whether the text may be or contain a Secret, whose keys are not shown.
bool may_be_secret(std::string_view text) {
  constexpr std::string_view kKind = "Secret";
  constexpr std::string_view kBetween = "\"' \t:";
  for (auto at = text.find(kKind); at != text.npos; at = text.find(kKind, at + 1)) {
    const auto before = text.find_last_not_of(kBetween, at == 0 ? at : at - 1);
    if (before != text.npos && text.substr(0, before + 1).ends_with("kind")) return true;
  }
  return false;
}

}  // namespace

void TreeBuilder::key(std::string_view text, std::uint32_t at) {
  key_offset_ = append(text);
  key_size_ = static_cast<std::uint32_t>(text.size());
  key_at_ = at;
}

std::uint32_t TreeBuilder::scalar(std::string_view text, bool quoted, std::uint32_t at) {
  const std::uint32_t offset = append(text);
  Node& node = add(Kind::Scalar, at);
  node.quoted = quoted;
  node.text_offset = offset;
  node.size = static_cast<std::uint32_t>(text.size());
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t TreeBuilder::null(std::uint32_t at) {
  add(Kind::Null, at);
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t TreeBuilder::open(Kind kind, std::uint32_t at) {
  add(kind, at).end = kOpen;
  open_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
  return open_.back();
}

void TreeBuilder::close() {
  assert(!open_.empty());
  const std::uint32_t closed = open_.back();
  open_.pop_back();
  nodes_[closed].end = static_cast<std::uint32_t>(nodes_.size());
  duplicate_.reset();
  if (nodes_[closed].kind != Kind::Mapping) return;
  if (nodes_[closed].size > kMaxEntriesToScan)
    index_keys(closed);
  else
    find_duplicate(closed);
}

void TreeBuilder::copy_own(std::uint32_t source) {
  const std::uint32_t end = after(source);
  const auto start = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t shift = start - source;
  for (std::uint32_t node = source; node != end; ++node) {
    Node copy = nodes_[node];
    if (node != source) {
      copy.parent += shift;
      if (copy.kind >= Kind::Sequence) copy.end += shift;
      nodes_.push_back(copy);
      continue;
    }
    Node& top = add(copy.kind, copy.at);
    top.quoted = copy.quoted;
    top.size = copy.size;
    if (copy.kind >= Kind::Sequence)
      top.end = copy.end + shift;
    else
      top.text_offset = copy.text_offset;
  }
  for (std::uint32_t node = start; node < nodes_.size(); ++node)
    if (nodes_[node].kind == Kind::Mapping && nodes_[node].size > kMaxEntriesToScan)
      index_keys(node);
}

std::uint32_t TreeBuilder::position(const SourceLocation& place) {
  if (files_.empty() || files_[places_.back().file] != place.file) {
    const auto known = std::ranges::find(files_, place.file);
    places_.push_back({.file = static_cast<std::uint32_t>(known - files_.begin())});
    if (known == files_.end()) files_.push_back(place.file);
  } else {
    places_.push_back({.file = places_.back().file});
  }
  places_.back().line = place.line;
  places_.back().column = place.column;
  return static_cast<std::uint32_t>(places_.size() - 1);
}

void TreeBuilder::copy(const Value& value) {
  const std::uint32_t at = position(value.place());
  switch (value.kind()) {
    case Kind::Null:
      null(at);
      return;
    case Kind::Scalar:
      scalar(value.text(), value.quoted(), at);
      return;
    case Kind::Sequence:
    case Kind::Mapping:
      open(value.kind(), at);
      for (const Value child : value) {
        if (value.is(Kind::Mapping)) key(child.key(), position(child.key_place()));
        copy(child);
      }
      close();
      return;
  }
}

std::size_t TreeBuilder::subtree_size(std::uint32_t node) const {
  return after(node) - node;
}

std::optional<TreeBuilder::DuplicateKey> TreeBuilder::duplicate_key() const {
  if (!duplicate_) return std::nullopt;
  const auto [first, again] = *duplicate_;
  return DuplicateKey{key_of(first), nodes_[first].key_at_or_index, nodes_[again].key_at_or_index};
}

std::pair<std::uint32_t, std::uint32_t> TreeBuilder::rebase() {
  std::uint32_t begin = kNowhere;
  std::uint32_t end = 0;
  const auto each_position = [this](auto use) {
    for (Node& node : nodes_) {
      use(node.at);
      const bool entry = node.parent != kNoNode && nodes_[node.parent].kind == Kind::Mapping;
      if (entry) use(node.key_at_or_index);
    }
  };
  each_position([&](std::uint32_t at) {
    begin = std::min(begin, at);
    end = std::max(end, at + 1);
  });
  each_position([&](std::uint32_t& at) { at -= begin; });
  return {begin, end};
}

Tree TreeBuilder::finish(LineMap lines, PartOf part_of) {
  if (nodes_.empty()) return {};
  auto storage = take();
  storage->lines = std::move(lines);
  storage->part_of = std::move(part_of);
  return Tree(std::move(storage));
}

Tree TreeBuilder::finish(PartOf part_of) {
  return finish(LineMap(), std::move(part_of));
}

void TreeBuilder::clear() {
  nodes_.clear();
  text_.clear();
  key_indices_.clear();
  sorted_entries_.clear();
  places_.clear();
  files_.clear();
  open_.clear();
  duplicate_.reset();
}

Node& TreeBuilder::add(Kind kind, std::uint32_t at) {
  Node& node = nodes_.emplace_back();
  node.at = at;
  node.kind = kind;
  if (open_.empty()) return node;
  node.parent = open_.back();
  Node& parent = nodes_[node.parent];
  if (parent.kind == Kind::Mapping) {
    node.key_offset = key_offset_;
    node.key_size = key_size_ & kMaxKeyBytes;
    node.key_at_or_index = key_at_;
  } else {
    node.key_at_or_index = parent.size;
  }
  ++parent.size;
  return node;
}

std::uint32_t TreeBuilder::append(std::string_view text) {
  const auto offset = static_cast<std::uint32_t>(text_.size());
  text_.append(text);
  return offset;
}

bool TreeBuilder::is_closed(std::uint32_t node) const {
  return nodes_[node].kind < Kind::Sequence || nodes_[node].end != kOpen;
}

void TreeBuilder::index_keys(std::uint32_t mapping) {
  const auto begin = static_cast<std::uint32_t>(sorted_entries_.size());
  for (std::uint32_t entry = mapping + 1; entry != nodes_[mapping].end; entry = after(entry))
    sorted_entries_.push_back(entry);
  key_indices_.push_back({mapping, begin});
  const auto entries = std::span(sorted_entries_).subspan(begin);
  // Equal keys keep the order of the text.
  std::ranges::sort(entries, [this](std::uint32_t a, std::uint32_t b) {
    const int order = key_of(a).compare(key_of(b));
    return order != 0 ? order < 0 : a < b;
  });
  for (std::size_t i = 1; i < entries.size(); ++i)
    if (key_of(entries[i - 1]) == key_of(entries[i]) &&
        (!duplicate_ || entries[i] < duplicate_->second))
      duplicate_ = {entries[i - 1], entries[i]};
}

void TreeBuilder::find_duplicate(std::uint32_t mapping) {
  std::uint64_t known = 0;  // One bit per combination of size and ends of a key: most keys differ
                            // there.
  for (std::uint32_t entry = mapping + 1; entry != nodes_[mapping].end; entry = after(entry)) {
    const std::string_view key = key_of(entry);
    const std::size_t mark =
        key.size() * 7 + (key.empty() ? 0 : std::size_t(key.back()) * 5 + std::size_t(key.front()));
    const std::uint64_t bit = std::uint64_t{1} << (mark % 64);
    if ((known & bit) != 0)
      for (std::uint32_t first = mapping + 1; first != entry; first = after(first)) {
        if (key_of(first) != key) continue;
        duplicate_ = {first, entry};
        return;
      }
    known |= bit;
  }
}

std::shared_ptr<TreeStorage> TreeBuilder::take() {
  assert(open_.empty());
  auto storage = std::make_shared<TreeStorage>();
  storage->nodes.assign(nodes_.begin(), nodes_.end());
  storage->text.assign(text_);
  // Inner mappings are closed before outer ones.
  std::ranges::sort(key_indices_, {}, &KeyIndex::mapping);
  storage->key_indices.assign(key_indices_.begin(), key_indices_.end());
  storage->sorted_entries.assign(sorted_entries_.begin(), sorted_entries_.end());
  storage->places.assign(places_.begin(), places_.end());
  storage->files.assign(files_.begin(), files_.end());
  clear();
  return storage;
}

Finding Refusal::finding(std::string_view text, const Origin& origin) const {
  return {.rule = rule, .message = message, .place = origin.place(text, at), .hint = hint};
}

Refusal nesting_limit(std::size_t at) {
  return {"nesting-limit", fmt::format("the document nests deeper than {} levels", kMaxDepth),
          "no Gardener document needs that; check how the file was made", at};
}

Refusal duplicate_key(const TreeBuilder::DuplicateKey& twice, std::string_view text,
                      const Origin& origin, const ListHead* list) {
  const bool secret = may_be_secret(text) || (list != nullptr && list->kind == "SecretList");
  return {"duplicate-key",
          fmt::format("{} stands twice in one mapping, first in line {}",
                      secret ? "a key" : fmt::format("the key {}", one_line(twice.key)),
                      origin.place(text, twice.first).line),
          "keep one of the two", twice.again};
}

Refusal broken_off(std::size_t at) {
  return {"invalid-json", "this is not valid JSON: the list breaks off here, it is never closed",
          "give the whole text; the items before this one are read", at};
}

Refusal elision(std::size_t at) {
  return {"elision", "parts of this document are left out (`...`), so it is refused",
          "fill in what the `...` stands for, or start a new document with `---`", at};
}

ItemTrees::ItemTrees(std::string_view text, const Origin& origin, std::size_t first,
                     std::shared_ptr<const ListHead> list)
    : text_(text), here_(origin), first_(first), list_(std::move(list)) {}

void ItemTrees::add(TreeBuilder& item) {
  const auto [begin, end] = item.rebase();
  here_ = here_.after(text_.substr(at_, begin - at_));
  at_ = begin;
  trees_.push_back(item.finish(LineMap(here_, text_.substr(begin, end - begin)),
                               {list_->path_of(first_ + trees_.size()), list_}));
}

}  // namespace overlane::document
