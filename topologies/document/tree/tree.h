#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "results/finding/place.h"

namespace overlane::document {

enum class Kind : std::uint8_t { Null, Scalar, Sequence, Mapping };
/// What a plain (unquoted) scalar means to Kubernetes; quoted scalars are always strings.
enum class ScalarType : std::uint8_t { String, Bool, Integer, Float };

/// "null", "a string", "a list", "a mapping" … for messages.
std::string_view describe(Kind kind);
std::string_view describe(ScalarType type);

struct TreeStorage;

/// What a list says about its items, which need not repeat it: kubectl's "v1", "List" or a typed
/// list's "core.gardener.cloud/v1beta1", "ShootList".
struct ListHead {
  std::string api_version;
  std::string kind;
};

/// A view of one node of a Tree, or of nothing ("absent"): reading a key that does not exist gives
/// an absent Value, and every read of an absent Value is absent or empty again. Cheap to copy,
/// valid as long as its Tree.
class Value {
 public:
  Value() = default;
  Value(const TreeStorage* storage, std::uint32_t node) : storage_(storage), node_(node) {}

  bool exists() const { return storage_ != nullptr; }
  /// False for an absent value and for an explicit null alike, as Kubernetes reads both.
  explicit operator bool() const { return exists() && kind() != Kind::Null; }
  Kind kind() const;
  bool is(Kind expected) const { return exists() && kind() == expected; }

  /// Keys and scalars of the whole document, one behind the other: what is not in it is nowhere in
  /// the document.
  std::string_view all_text() const;
  /// The text of a scalar as written, without quotes; empty for every other kind.
  std::string_view text() const;
  bool quoted() const;
  ScalarType scalar_type() const;
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;  ///< Integers count.

  /// The entry of a mapping.
  Value operator[](std::string_view key) const;
  /// Entries of a mapping or items of a sequence.
  std::size_t size() const;
  /// The key that a mapping's entry stands under; empty elsewhere.
  std::string_view key() const;
  /// Whether it stands under a key (or was taken from there): a null means an absent field only
  /// there, not as a list item and not as a whole document.
  bool is_entry() const;

  /// Where the value stands; `key_place` is where its key stands (the value's place without one).
  SourceLocation place() const;
  SourceLocation key_place() const;
  /// "spec.provider.workers[0].name", from the document's root (also where the root of this tree
  /// was taken from another document, or is an item of a list).
  std::string path() const;
  /// The same without the list that the tree is an item of: "items[3].spec" is "spec".
  std::string path_within_object() const;

  /// Children in order: `for (Value item : list)`.
  class Iterator {
   public:
    using value_type = Value;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    Iterator(const TreeStorage* storage, std::uint32_t node) : storage_(storage), node_(node) {}
    Value operator*() const { return {storage_, node_}; }
    Iterator& operator++();
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const TreeStorage* storage_ = nullptr;
    std::uint32_t node_ = 0;
  };
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class FieldPath;
  friend class Tree;

  std::string path_below(std::string_view root) const;

  const TreeStorage* storage_ = nullptr;
  std::uint32_t node_ = 0;
};

/// One immutable YAML or JSON document, or one item of a `kind: List` document, in contiguous
/// storage; copies share it. Scalars keep their text and whether they were quoted, keys and values
/// keep their places, aliases are resolved. It does not need the text that it was read from, and
/// takes two to three times that text's size.
class Tree {
 public:
  Tree() = default;
  explicit Tree(std::shared_ptr<const TreeStorage> storage) : storage_(std::move(storage)) {}
  /// What is at and below `value`; it shares the storage of the whole document, in which paths
  /// still start.
  static Tree of(const Value& value);

  /// Absent for a Tree that holds nothing.
  Value root() const { return storage_ ? Value(storage_.get(), root_) : Value(); }
  /// The list that this is an item of (its root's path is then "items[3]"), or nullptr.
  const ListHead* list() const;
  /// Bytes of memory that the document holds.
  std::size_t memory() const;

 private:
  std::shared_ptr<const TreeStorage> storage_;
  std::uint32_t root_ = 0;
};

}  // namespace overlane::document
