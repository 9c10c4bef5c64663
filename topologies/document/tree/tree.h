#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results/base/text.h"
#include "results/finding/finding.h"

namespace overlane::document {

// A YAML or JSON document as an immutable tree whose every node knows its file, line and column.
// Findings and reasons point at these places. A Tree owns its nodes in one contiguous storage
// that copies share; a Value is a view of one node and must not outlive its Tree. Reading an
// absent key gives an absent Value, so that decoders need no null checks. Trees are immutable:
// any thread may read them.

// Places in a source text: where a part of a file starts (Origin), and how a byte offset becomes a
// line and a column, which counts characters. Also the checks of a text before it is parsed: UTF-8,
// no NUL byte, and line breaks that yaml-cpp understands.

/// Where a part of a file starts; columns count characters.
struct Origin {
  Interned file;
  int line = 1;
  int column = 1;

  /// Where the text after `text` starts, if `text` starts here.
  Origin after(std::string_view text) const;
  /// The location of a byte in the text that starts here.
  SourceLocation place(std::string_view text, std::size_t offset) const;
};

/// Converts byte offsets of a text to locations without keeping the text: four bytes per line, and
/// four per UTF-8 continuation byte.
class LineMap {
 public:
  LineMap() = default;
  LineMap(Origin origin, std::string_view text);

  SourceLocation place(std::uint32_t offset) const;
  std::size_t memory() const {
    return (starts_.capacity() + continuations_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  Origin origin_;
  std::vector<std::uint32_t> starts_;  ///< Offsets of the second and following lines.
  std::vector<std::uint32_t> continuations_;
};

/// Whether a byte is a UTF-8 continuation byte.
inline bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}
std::size_t count_characters(std::string_view text);
/// Number of line feeds.
std::size_t count_lines(std::string_view text);

/// Whether the text is UTF-8 without NUL bytes and carriage returns, so that check_encoding() and
/// line ends need no work. A text is plain if all its parts are; a part that ends within a
/// character is not plain.
bool is_plain(std::string_view text);

/// The reason why `text`, which starts at `origin`, is not valid text: a NUL byte or malformed
/// UTF-8; nullopt if it is valid.
std::optional<Finding> check_encoding(std::string_view text, const Origin& origin);

using overlane::one_line;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Whether there is a carriage return without line feed. It is a line break (YAML 1.2 section 5.4),
/// but yaml-cpp knows only LF and CR LF.
bool has_lone_carriage_return(std::string_view text);
void replace_lone_carriage_returns(std::span<char> text);

/// The finding for a text without any document.
Finding empty_file(const std::string& file);

enum class Kind : std::uint8_t { Null, Scalar, Sequence, Mapping };
/// The type of a plain (unquoted) scalar in Kubernetes; quoted scalars are always strings.
enum class ScalarType : std::uint8_t { String, Bool, Integer, Float };

/// "null", "a string", "a list", "a mapping" … for messages.
std::string_view describe(Kind kind);
std::string_view describe(ScalarType type);

struct TreeStorage;

/// The head of a list, which its items need not repeat: "v1", "List" from kubectl, or the kind of a
/// typed list, "core.gardener.cloud/v1beta1", "ShootList".
struct ListHead {
  std::string api_version;
  std::string kind;
  bool is_array = false;  ///< The items are those of a root sequence, without a list around them.

  /// Path of an item from the root: "items[3]", or "[3]" in an array.
  std::string path_of(std::size_t index) const;
};

/// A view of one node of a Tree, or of no node ("absent"). A missing key gives an absent Value, and
/// every read of an absent Value is absent or empty. Cheap to copy; valid as long as its Tree.
class Value {
 public:
  Value() = default;
  Value(const TreeStorage* storage, std::uint32_t node) : storage_(storage), node_(node) {}

  bool exists() const { return storage_ != nullptr; }
  /// False for an absent value and for an explicit null, which Kubernetes treats alike.
  explicit operator bool() const { return exists() && kind() != Kind::Null; }
  Kind kind() const;
  bool is(Kind expected) const { return exists() && kind() == expected; }

  /// All keys and scalars of the document, concatenated: a text that is not in it is not in the
  /// document.
  std::string_view all_text() const;
  /// The text of a scalar as written, without quotes; empty for every other kind.
  std::string_view text() const;
  bool quoted() const;
  ScalarType scalar_type() const;
  std::optional<bool> as_bool() const;
  std::optional<std::int64_t> as_integer() const;
  std::optional<double> as_number() const;  ///< Includes integers.

  /// The entry of a mapping.
  Value operator[](std::string_view key) const;
  /// Entries of a mapping or items of a sequence.
  std::size_t size() const;
  /// The key of a mapping entry; empty for other values.
  std::string_view key() const;
  /// Whether the value is (or was copied from) a mapping entry. A null means an absent field only
  /// there, not as a list item or whole document.
  bool is_entry() const;

  /// Location of the value; `key_place` is the location of its key, or of the value if it has no
  /// key.
  SourceLocation place() const;
  SourceLocation key_place() const;
  /// "spec.provider.workers[0].name", from the root of the whole document, also if this tree is a
  /// part of it or a list item.
  std::string path() const;
  /// The path without the list that contains the tree: "items[3].spec" becomes "spec".
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

/// Whether the value names its own kind and API version, like each Kubernetes object.
bool is_object(const Value& value);

/// The head of a list of objects, whose `items` may be left out (null): a mapping of kind List or
/// …List, or one that has nothing but `items` and `metadata`. Returns nullopt if it is no list.
std::optional<ListHead> list_head(const Value& root);

/// One immutable YAML or JSON document, or one item of a `kind: List` document, in contiguous
/// storage; copies share it. Scalars keep their text and whether they were quoted, keys and values
/// keep their locations, aliases are resolved. It does not refer to the source text and takes two
/// to three times its size.
class Tree {
 public:
  Tree() = default;
  explicit Tree(std::shared_ptr<const TreeStorage> storage) : storage_(std::move(storage)) {}
  /// The subtree at `value`. Shares the storage of the whole document; paths still start at its
  /// root.
  static Tree of(const Value& value);

  /// Absent for an empty Tree.
  Value root() const { return storage_ ? Value(storage_.get(), root_) : Value(); }
  /// The list that contains this item (the path of the root is then "items[3]"), or null.
  const ListHead* list() const;
  /// Bytes of memory that the document holds.
  std::size_t memory() const;

 private:
  std::shared_ptr<const TreeStorage> storage_;
  std::uint32_t root_ = 0;
};

/// Types of plain scalars as in Kubernetes' YAML-to-JSON conversion (sigs.k8s.io/yaml, YAML 1.1):
/// yes/no/on/off are booleans, 010 and 0o10 are octal, underscores group digits.
std::optional<bool> parse_bool(std::string_view plain);
std::optional<std::int64_t> parse_integer(std::string_view plain);
/// Parses decimal fractions and exponents only; infinities and NaN are refused, because JSON cannot
/// represent them.
std::optional<double> parse_float(std::string_view plain);

ScalarType plain_scalar_type(std::string_view plain);

/// Applies a JSON merge patch (RFC 7386) to `base`, which may be absent; a null in the patch
/// removes the key. Every node keeps its source location; paths start at `base`'s path, or at
/// `root_path` if there is no base.
Tree merge_patch(const Value& base, const Value& patch, std::string root_path = "");

}  // namespace overlane::document
