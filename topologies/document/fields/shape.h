#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace overlane::document {

class Fields;

/// What a decoder expects at one place of a document. It is not written down anywhere: a decoder
/// tells it by what it asks for (Problems::describe_to).
struct Shape {
  enum class Type { Any, String, Boolean, Integer, Number, List, Mapping };

  /// Always, never, or where the entry `key` beside it has one of `words`.
  struct When {
    std::string key;
    std::vector<std::string> words;
    bool is_always = false;

    static When always() { return {.is_always = true}; }
    bool is_conditional() const { return !is_always && !words.empty(); }
    auto operator<=>(const When&) const = default;
  };

  Type type = Type::Any;
  std::vector<std::string> words;  ///< The only strings that are taken; empty: any.
  std::string pattern;             ///< A regular expression (ECMA 262) of what is taken.
  std::string example;             ///< Something that `pattern` takes.
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> most;
  bool deprecated = false;
  bool removed = false;  ///< It is known only to be refused.
  bool closed = false;   ///< A mapping that refuses other keys.
  struct Entry;
  std::vector<Entry> entries;   ///< Of a mapping, as first asked for.
  std::unique_ptr<Shape> item;  ///< Of a list.
  /// Where an entry is asked for, and where it must not be missing.
  When asked = When::always();
  When required;

  /// The entry of a mapping, nullptr if there is none.
  const Shape* find(std::string_view key) const;
  /// The shape at a path such as "spec.traffic[0].name" from here, made if it is not there yet.
  Shape& at(std::string_view path);
};

struct Shape::Entry {
  std::string key;
  Shape shape;
};

/// The shape of what `decode` reads, found by giving it documents with all that it asked for
/// before, until it asks for nothing new. `decode` must go straight through, as Fields has it.
Shape explore(const std::function<void(Fields& root)>& decode);

}  // namespace overlane::document
