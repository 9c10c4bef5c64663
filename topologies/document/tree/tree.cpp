#include "topologies/document/tree/tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/json_tree.h"
#include "topologies/document/tree/tree_builder.h"

namespace overlane::document {

Origin Origin::after(std::string_view text) const {
  // Faster than rfind, which compares single bytes.
  const auto* newline = static_cast<const char*>(memrchr(text.data(), '\n', text.size()));
  if (newline == nullptr) return {file, line, column + static_cast<int>(count_characters(text))};
  const auto before = static_cast<std::size_t>(newline + 1 - text.data());
  return {file, line + static_cast<int>(count_lines(text)),
          1 + static_cast<int>(count_characters(text.substr(before)))};
}

SourceLocation Origin::place(std::string_view text, std::size_t offset) const {
  const Origin there = after(text.substr(0, offset));
  return {file, there.line, there.column};
}

LineMap::LineMap(Origin origin, std::string_view text) : origin_(std::move(origin)) {
  starts_.reserve(count_lines(text));
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    starts_.push_back(static_cast<std::uint32_t>(at + 1));
  const std::size_t wide = text.size() - count_characters(text);
  if (wide == 0) return;
  continuations_.reserve(wide);
  for (std::size_t at = 0; at < text.size(); ++at)
    if (is_continuation(text[at])) continuations_.push_back(static_cast<std::uint32_t>(at));
}

SourceLocation LineMap::place(std::uint32_t offset) const {
  const auto next_line = std::ranges::upper_bound(starts_, offset);
  const auto line = static_cast<int>(next_line - starts_.begin());
  const std::uint32_t start = line == 0 ? 0 : *std::prev(next_line);
  const auto wide = std::ranges::lower_bound(continuations_, offset) -
                    std::ranges::lower_bound(continuations_, start);
  const int column = static_cast<int>(offset - start) - static_cast<int>(wide);
  return {origin_.file, origin_.line + line, column + (line == 0 ? origin_.column : 1)};
}

std::size_t count_lines(std::string_view text) {
  std::size_t lines = 0;
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    ++lines;
  return lines;
}

std::size_t count_characters(std::string_view text) {
  // Most texts are ASCII, which can be checked many bytes at a time.
  constexpr std::uint64_t kTopBits = 0x8080808080808080;
  using Words = std::array<std::uint64_t, 4>;
  std::size_t at = 0;
  for (; at + sizeof(Words) <= text.size(); at += sizeof(Words)) {
    Words words;
    std::memcpy(words.data(), text.data() + at, sizeof words);
    if (((words[0] | words[1] | words[2] | words[3]) & kTopBits) != 0) break;
  }
  const auto rest = text.substr(at);
  return at + static_cast<std::size_t>(
                  std::ranges::count_if(rest, [](char byte) { return !is_continuation(byte); }));
}

bool is_plain(std::string_view text) {
  return text.find('\0') == text.npos && text.find('\r') == text.npos && is_valid_utf8(text);
}

std::optional<Finding> check_encoding(std::string_view text, const Origin& origin) {
  const auto refuse = [&](std::string message, std::size_t at) {
    return Refusal{"binary-file", std::move(message),
                   "give a YAML or JSON text file, saved as UTF-8", at}
        .finding(text, origin);
  };
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return refuse("this text is UTF-16, not UTF-8", 0);
  const auto nul = text.find('\0');
  if (nul != text.npos) return refuse("this is a binary file: it holds a NUL byte", nul);
  if (is_valid_utf8(text)) return std::nullopt;
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text.substr(at)))
    at += length;
  return refuse("this is not a text file: the byte here is not valid UTF-8", at);
}

bool has_lone_carriage_return(std::string_view text) {
  for (auto at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1))
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  return false;
}

void replace_lone_carriage_returns(std::span<char> text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\r' && (at + 1 == text.size() || text[at + 1] != '\n')) text[at] = '\n';
}

Finding empty_file(const std::string& file) {
  return {.rule = "empty-file",
          .message = "the file holds no document",
          .place = {file, 1, 1},
          .hint = "give a Shoot or Network manifest"};
}

namespace {

template <typename T>
std::size_t bytes_of(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

/// Calls `use` with the components of a node's path, from its end to the component after the root's
/// path.
template <typename Use>
void each_step(const TreeStorage& storage, std::uint32_t node, bool has_root_path, Use use) {
  for (std::uint32_t parent = storage.nodes[node].parent; parent != kNoNode;
       node = std::exchange(parent, storage.nodes[parent].parent)) {
    const Node& step = storage.nodes[node];
    if (storage.nodes[parent].kind == Kind::Sequence) {
      const fmt::format_int index(step.key_at_or_index);
      use("]");
      use(std::string_view(index.data(), index.size()));
      use("[");
      continue;
    }
    use(storage.key_of(step));
    if (parent != 0 || has_root_path) use(".");
  }
}

constexpr std::array<std::string_view, 9> kTrue = {"true", "True", "TRUE", "yes", "Yes",
                                                   "YES",  "on",   "On",   "ON"};
constexpr std::array<std::string_view, 9> kFalse = {"false", "False", "FALSE", "no", "No",
                                                    "NO",    "off",   "Off",   "OFF"};

struct Radix {
  int base = 10;
  std::string_view digits;
};

Radix split_radix(std::string_view digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) return {16, digits.substr(2)};
  if (digits.starts_with("0b") || digits.starts_with("0B")) return {2, digits.substr(2)};
  if (digits.starts_with("0o") || digits.starts_with("0O")) return {8, digits.substr(2)};
  if (digits.size() > 1 && digits.front() == '0') return {8, digits.substr(1)};
  return {10, digits};
}

template <typename Number, typename... Format>
std::optional<Number> whole(std::string_view text, Format... format) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number, format...);
  if (error != std::errc() || at != end || text.empty()) return std::nullopt;
  return number;
}

class Merger {
 public:
  explicit Merger(std::string root_path) : root_path_(std::move(root_path)) {}

  void merge(const Value& base, const Value& patch) {
    if (!patch.is(Kind::Mapping)) return builder_.copy(patch);
    const Value& where = base.is(Kind::Mapping) ? base : patch;
    builder_.open(Kind::Mapping, builder_.position(where.place()));
    if (base.is(Kind::Mapping))
      for (Value entry : base)
        merge_entry(entry, entry, patch[entry.key()]);
    for (Value entry : patch)
      if (!base[entry.key()].exists()) merge_entry(entry, {}, entry);
    builder_.close();
  }

  Tree finish() { return builder_.finish({.path = root_path_}); }

 private:
  void merge_entry(const Value& keyed, const Value& base, const Value& patch) {
    if (patch.exists() && !patch) return;
    builder_.key(keyed.key(), builder_.position(keyed.key_place()));
    if (patch.exists())
      merge(base, patch);
    else
      builder_.copy(base);
  }

  std::string root_path_;
  TreeBuilder builder_;
};

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

std::string ListHead::path_of(std::size_t index) const {
  return fmt::format("{}[{}]", is_array ? "" : "items", index);
}

bool is_object(const Value& value) {
  return !value["kind"].text().empty() && !value["apiVersion"].text().empty();
}

std::optional<ListHead> list_head(const Value& root) {
  const std::string_view kind = root["kind"].text();
  if (kind.ends_with("List"))
    return ListHead{std::string(root["apiVersion"].text()), std::string(kind)};
  const auto is_of_list = [](const Value& entry) {
    return entry.key() == "items" || entry.key() == "metadata" || entry.key() == "apiVersion";
  };
  if (!root["items"].exists() || !std::ranges::all_of(root, is_of_list)) return std::nullopt;
  return ListHead{"", "List"};
}

Kind Value::kind() const {
  return exists() ? storage_->nodes[node_].kind : Kind::Null;
}

std::string_view Value::text() const {
  return exists() ? storage_->text_of(storage_->nodes[node_]) : std::string_view();
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
  const std::uint32_t entry = storage_->find(node_, key);
  return entry == kNoNode ? Value() : Value(storage_, entry);
}

std::size_t Value::size() const {
  return kind() >= Kind::Sequence ? storage_->nodes[node_].size : 0;
}

std::string_view Value::key() const {
  return exists() ? storage_->key_of(storage_->nodes[node_]) : std::string_view();
}

SourceLocation Value::place() const {
  return exists() ? storage_->place(storage_->nodes[node_].at) : SourceLocation();
}

SourceLocation Value::key_place() const {
  if (!exists()) return {};
  const Node& node = storage_->nodes[node_];
  const bool entry = node.parent != kNoNode && storage_->nodes[node.parent].kind == Kind::Mapping;
  return storage_->place(entry ? node.key_at_or_index : node.at);
}

std::string Value::path() const {
  return exists() ? path_below(storage_->part_of.path) : std::string();
}

std::string Value::path_within_object() const {
  if (!exists()) return {};
  return storage_->part_of.list != nullptr ? path_below("") : path();
}

std::string Value::path_below(std::string_view root) const {
  // Paths are frequent, so the size is computed before writing.
  std::size_t size = root.size();
  const auto each = [&](auto use) { each_step(*storage_, node_, !root.empty(), use); };
  each([&](std::string_view step) { size += step.size(); });
  std::string path(size, '\0');
  std::size_t end = size;
  each([&](std::string_view step) {
    end -= step.size();
    step.copy(path.data() + end, step.size());
  });
  root.copy(path.data(), root.size());
  return path;
}

bool Value::is_entry() const {
  if (!exists()) return false;
  const std::uint32_t parent = storage_->nodes[node_].parent;
  if (parent == kNoNode)
    return !storage_->part_of.path.empty() && storage_->part_of.list == nullptr;
  return storage_->nodes[parent].kind == Kind::Mapping;
}

Value::Iterator& Value::Iterator::operator++() {
  node_ = storage_->after(node_);
  return *this;
}

Value::Iterator Value::begin() const {
  if (kind() < Kind::Sequence) return {};
  return {storage_, node_ + 1};
}

Value::Iterator Value::end() const {
  if (kind() < Kind::Sequence) return {};
  return {storage_, storage_->nodes[node_].end};
}

std::string_view Value::all_text() const {
  return exists() ? std::string_view(storage_->text) : std::string_view();
}

Tree Tree::of(const Value& value) {
  Tree tree;
  if (!value.exists()) return tree;
  tree.storage_ = value.storage_->shared_from_this();
  tree.root_ = value.node_;
  return tree;
}

const ListHead* Tree::list() const {
  return storage_ && root_ == 0 ? storage_->part_of.list.get() : nullptr;
}

std::size_t Tree::memory() const {
  if (!storage_) return 0;
  return sizeof(TreeStorage) + bytes_of(storage_->nodes) + storage_->text.capacity() +
         bytes_of(storage_->key_indices) + bytes_of(storage_->sorted_entries) +
         bytes_of(storage_->places) + storage_->lines.memory();
}

SourceLocation TreeStorage::place(std::uint32_t position) const {
  if (position == kNowhere) return {};
  if (places.empty()) return lines.place(position);
  const FilePosition& there = places[position];
  return {files[there.file], there.line, there.column};
}

std::uint32_t TreeStorage::find(std::uint32_t mapping, std::string_view key) const {
  const Node& node = nodes[mapping];
  if (node.size <= kMaxEntriesToScan) {
    const Node* const first = nodes.data();
    const Node* const end = first + node.end;
    const Node* entry = first + mapping + 1;
    while (entry != end && !has_key(*entry, key))
      entry = entry->kind >= Kind::Sequence ? first + entry->end : entry + 1;
    return entry == end ? kNoNode : static_cast<std::uint32_t>(entry - first);
  }
  const auto index = std::ranges::lower_bound(key_indices, mapping, {}, &KeyIndex::mapping);
  const auto begin = sorted_entries.begin() + index->begin;
  const auto end = begin + node.size;
  const auto found = std::lower_bound(begin, end, key, [this](std::uint32_t entry, auto wanted) {
    return key_of(nodes[entry]) < wanted;
  });
  return found != end && key_of(nodes[*found]) == key ? *found : kNoNode;
}

std::optional<bool> parse_bool(std::string_view plain) {
  if (std::ranges::find(kTrue, plain) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, plain) != kFalse.end()) return false;
  return std::nullopt;
}

std::optional<std::int64_t> parse_integer(std::string_view plain) {
  std::string compact(plain);
  std::erase(compact, '_');
  std::string_view rest = compact;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const Radix radix = split_radix(rest);
  if (radix.digits.empty() || radix.digits.front() == '-') return std::nullopt;
  return whole<std::int64_t>((negative ? "-" : "") + std::string(radix.digits), radix.base);
}

std::optional<double> parse_float(std::string_view plain) {
  if (plain.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  if (plain.starts_with('+')) plain.remove_prefix(1);
  return whole<double>(plain, std::chars_format::general);
}

ScalarType plain_scalar_type(std::string_view plain) {
  if (parse_bool(plain)) return ScalarType::Bool;
  if (parse_integer(plain)) return ScalarType::Integer;
  if (parse_float(plain)) return ScalarType::Float;
  return ScalarType::String;
}

Tree merge_patch(const Value& base, const Value& patch, std::string root_path) {
  if (!patch.exists()) return Tree::of(base);
  Merger merger(base.exists() ? base.path() : std::move(root_path));
  merger.merge(base, patch);
  return merger.finish();
}

}  // namespace overlane::document
