#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

// The schema of a kind of file, found by running its decoder. There is no second definition that
// could differ: explore() calls the decoder with documents that have more and more fields, and
// records the fields that it reads, with their meaning, types, words and ranges. `overlane schema`
// prints the result. A decoder gives the meaning with the key (FieldKey); for decoders that do not,
// FieldText has it by the path of the field.

/// The meaning of one field of a kind of file, for its schema.
struct FieldText {
  /// Path from the document's root, with "[]" for the items of a list and "*" for any key.
  std::string_view path;
  std::string_view text;
};

class Fields;

/// The schema of one value as its decoder reads it. The decoder's calls record it
/// (Problems::record_shape).
struct Shape {
  enum class Type { Any, String, Boolean, Integer, Number, List, Mapping };

  /// A condition: always, never, or if the sibling entry `key` has one of `words`.
  struct When {
    std::string key;
    std::vector<std::string> words;
    bool is_always = false;

    static When always() { return {.is_always = true}; }
    bool is_conditional() const { return !is_always && !words.empty(); }
    auto operator<=>(const When&) const = default;
  };

  std::string text;  ///< The field's meaning, from its FieldKey; empty if the decoder gives none.
  Type type = Type::Any;
  std::vector<std::string> words;  ///< The allowed strings; empty if all are allowed.
  std::string pattern;             ///< A regular expression (ECMA 262) that the string must match.
  std::string example;             ///< A string that matches `pattern`.
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  bool deprecated = false;
  bool removed = false;  ///< The key is known, but an error if present.
  bool closed = false;   ///< A mapping without other keys.
  struct Entry;
  std::vector<Entry> entries;   ///< Entries of a mapping, in the order in which they are read.
  std::unique_ptr<Shape> item;  ///< Shape of a list's items.
  /// When an entry is read, and when it is required.
  When asked = When::always();
  When required;

  /// Sets the text, unless `meaning` is empty: a decoder may read a field twice.
  void describe(std::string_view meaning) {
    if (!meaning.empty()) text = meaning;
  }
  /// The entry of a mapping; null if there is none.
  const Shape* find(std::string_view key) const;
  /// The shape at a path such as "spec.traffic[0].name"; created if absent.
  Shape& at(std::string_view path);
};

struct Shape::Entry {
  std::string key;
  Shape shape;
};

/// The schema of the documents that `decode` reads. Calls it with documents that contain all fields
/// read so far, until no new field is read. `decode` must not stop at errors, as Fields requires.
Shape explore(const std::function<void(Fields& root)>& decode);

}  // namespace overlane::document
