#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include "results/finding/finding.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// Typed reading of a tree, with exact errors. All decoders read all files in this way. A decoder
// makes Fields of a mapping, asks for each field by key and type, and ends with no_others(), which
// reports misspelt keys. Errors go to a Problems, which belongs to one document; a wrong field
// reads as absent and the decoder goes on. The same calls can record the schema of the file
// (shape.h). Used by one thread at a time; the Problems must outlive the Fields.

/// The path of a value, "spec.networking.pods". The text is built on demand only, because most
/// paths are never printed. Keeps its document's storage alive.
class FieldPath {
 public:
  FieldPath() = default;
  explicit FieldPath(const Value& value);
  FieldPath(std::string path);                                   // NOLINT: it is that path
  FieldPath(const char* path) : FieldPath(std::string(path)) {}  // NOLINT

  bool empty() const { return owner_ == nullptr; }
  std::string to_string() const;
  /// The path without the list that contains the document: "items[3].spec" becomes "spec".
  std::string within_object() const;
  operator std::string() const { return to_string(); }  // NOLINT

  bool operator==(const FieldPath& other) const;

 private:
  std::shared_ptr<const void> owner_;  ///< The value's storage, or a string.
  std::uint32_t node_ = kText;
  static constexpr std::uint32_t kText = ~std::uint32_t{0};
};

struct Shape;

/// The key of a field where a decoder reads it, and the meaning of the field: its description in
/// the schema of the file (shape.h), and the description of its items if it is a list. A key alone
/// has no description.
struct FieldKey {
  FieldKey(std::string_view key) : name(key) {}    // NOLINT: it is that key
  FieldKey(const std::string& key) : name(key) {}  // NOLINT
  FieldKey(const char* key) : name(key) {}         // NOLINT
  explicit FieldKey(std::string_view key, std::string_view meaning,
                    std::string_view meaning_of_item = {})
      : name(key), text(meaning), item(meaning_of_item) {}

  std::string_view name;
  std::string_view text;
  std::string_view item;
};

/// Collects the problems that a decoder finds in one document. Adds the document's object, the
/// field's path and its location to each finding.
class Problems {
 public:
  explicit Problems(ObjectName object);

  void error(const Value& at, std::string_view rule, std::string message, std::string hint = "");
  /// Adds an error of the key, not of its value: located at the key.
  void key_error(const Value& at, std::string_view rule, std::string message,
                 std::string hint = "");
  void warning(const Value& at, std::string_view rule, std::string message, std::string hint = "");

  bool any_error() const { return any_at_or_above(findings_, Severity::Error); }
  const Findings& findings() const { return findings_; }

  /// Starts to record the fields that decoders read in `shape`, which must outlive the decoding.
  void record_shape(Shape& shape) { shape_ = &shape; }
  /// The recorded shape of `value`, for decoders that add constraints to it; null if no shape is
  /// recorded.
  Shape* shape_of(const Value& value) const {
    return shape_ == nullptr ? nullptr : recorded_shape(value);
  }

 private:
  Shape* recorded_shape(const Value& value) const;
  void add(Severity severity, SourceLocation place, const Value& at, std::string rule,
           std::string message, std::string hint);

  ObjectName object_;
  Findings findings_;
  Shape* shape_ = nullptr;
};

/// Typed, strict reading of one mapping. An absent or null field reads as empty; a field of the
/// Typed, strict reading of one mapping. A null field reads as absent. A field of the wrong type is
/// an error and reads as absent, so a decoder runs to its end and checks Problems once. Every key
/// that is read counts as known; `no_others` reports the others.
///   Fields spec(root["spec"], problems);
///   const auto replicas = spec.integer(FieldKey("replicas", "The number of pods.")).value_or(1);
///   const Value zones = spec.list("zones");
///   spec.no_others();
class Fields {
 public:
  /// An absent `mapping` or a null field has no fields. Any other value that is not a mapping is an
  /// error, also a null document. (`list` reports null items.)
  Fields(const Value& mapping, Problems& problems);

  const Value& value() const { return mapping_; }
  Problems& problems() const { return *problems_; }

  /// The entry, of any kind; absent if there is none.
  Value any(const FieldKey& key);
  /// The entry; an absent entry or an empty string is an error. If its block is absent, the error
  /// is located at the closest mapping above, unless the block itself is required. Fields over a
  /// default-constructed Value report nothing.
  Value required(const FieldKey& key);
  /// A list; null items are errors.
  Value list(const FieldKey& key);
  Value mapping(const FieldKey& key);
  Fields fields(const FieldKey& key);

  std::optional<std::string> string(const FieldKey& key);
  std::optional<bool> boolean(const FieldKey& key);
  std::optional<std::int64_t> integer(const FieldKey& key);
  std::optional<double> number(const FieldKey& key);
  /// One of the given words, case-sensitive.
  std::optional<std::string> one_of(const FieldKey& key, std::span<const std::string_view> words);
  std::optional<std::string> one_of(const FieldKey& key,
                                    std::initializer_list<std::string_view> words) {
    return one_of(key, std::span(words.begin(), words.size()));
  }
  std::vector<std::string> strings(const FieldKey& key);

  /// Records the allowed words of `entry` (from `any`) in the shape; does not check them.
  void only_words(const Value& entry, std::span<const std::string_view> words);
  void only_words(const Value& entry, std::initializer_list<std::string_view> words) {
    only_words(entry, std::span(words.begin(), words.size()));
  }
  /// Records the allowed range of `entry`; does not check it.
  void only_between(const Value& entry, std::int64_t least, std::int64_t most);

  /// Accepts keys that this decoder does not read.
  void ignore(std::initializer_list<std::string_view> keys);
  /// Reports each unread key as an error `unknown-key`, with the closest known key.
  void no_others();
  /// Reports each unread key as a warning `unknown-field`, for objects whose consumer ignores
  /// unknown fields.
  void warn_others();

 private:
  /// Number of nested absent blocks that a decoder may read.
  static constexpr std::size_t kMaxAbsentDepth = 6;

  Value of_kind(const FieldKey& key, Kind kind);

  Value mapping_;
  Problems* problems_;
  /// Most mappings have fewer known keys.
  static constexpr std::size_t kInlineKeys = 16;
  boost::container::small_vector<std::string_view, kInlineKeys>
      known_;              ///< Empty without a mapping.
  bool reported_ = false;  ///< Whether the missing mapping has been reported.
  Value above_;            ///< The mapping, or the closest existing value above it.
  /// The keys from `above_` to this mapping; the first `depth_` are valid. Empty unless the block
  /// is absent.
  std::array<std::string_view, kMaxAbsentDepth> within_;
  std::size_t depth_ = 0;
  std::vector<std::string_view> missing_;  ///< Required keys that were reported.
};

/// Reads one scalar, for example a list item, like Fields does; a wrong type is an error.
std::optional<std::string> read_string(const Value& value, Problems& problems);
std::optional<bool> read_boolean(const Value& value, Problems& problems);
std::optional<std::int64_t> read_integer(const Value& value, Problems& problems);
std::optional<double> read_number(const Value& value, Problems& problems);

// Suggestions for misspelt words, by the number of edits between two words. Used for keys, kinds
// and names that a user wrote. All functions are pure.

/// Number of single-character edits (insert, delete, replace, swap of neighbours) between two
/// words, ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest known word if `word` is probably a typing error of it; otherwise empty.
std::string_view closest(std::string_view word, std::span<const std::string_view> known);

/// The known words that may be meant, closest first; at most `most`.
std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> known, std::size_t most);

/// "did you mean podCIDR? ", to be followed by other text, if `word` is probably a typing error of
/// a known word; otherwise empty.
std::string correction(std::string_view word, std::span<const std::string_view> known);

/// `did you mean podCIDR?`, or the list of the known words.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

// The header of this project's own files: apiVersion overlane.dev/v1alpha1, kind and metadata.name.
// A file with a wrong kind or version gets one finding about that, instead of an error for each
// field.

/// The apiVersion of this project's own kinds (Scenario, Topology, NetworkProvider …).
inline constexpr std::string_view kApiVersion = "overlane.dev/v1alpha1";

/// Whether an apiVersion belongs to this project, of any release.
bool is_own_api_version(std::string_view api_version);
/// The hint for a document of one of this project's kinds that is not expected here; empty for
/// other kinds.
std::string_view hint_for_kind(std::string_view kind);
/// The kind of this project that is closest to a misspelt `kind`; empty if none is close.
std::string closest_own_kind(std::string_view kind);

/// The object that one of this project's files describes, for its findings.
ObjectName object_of(const Tree& tree);

/// All findings; for a document with a wrong kind or apiVersion, only the finding about the kind or
/// version.
Findings relevant_findings(const Findings& findings);

/// Decodes a whole document, or returns its errors.
template <typename T>
Result<T, Findings> decode_whole(const Tree& tree, T (*decode)(Fields& root)) {
  Problems problems(object_of(tree));
  Fields root(tree.root(), problems);
  T decoded = decode(root);
  if (problems.any_error()) return fail(relevant_findings(problems.findings()));
  return decoded;
}

/// Checks apiVersion and kind, and returns metadata.name (required). All of them count as known
/// keys.
std::string decode_header(Fields& root, std::string_view kind);

}  // namespace overlane::document

template <>
struct fmt::formatter<overlane::document::FieldPath> : fmt::formatter<std::string> {
  auto format(const overlane::document::FieldPath& path, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(path.to_string(), context);
  }
};
