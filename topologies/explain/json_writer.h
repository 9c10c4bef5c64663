#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace overlane::explain {

/// Writes JSON text value by value, without a tree of the document in memory: for documents with
/// thousands of parts, such as the Explanation of a landscape. The text is identical to that of
/// nlohmann's dump(2) with error_handler_t::replace, so that each part of a document may be written
/// by either. The caller must call key() before each value in an object and close every container
/// that it opens; the writer counts open containers, but does not check their kinds. Several
/// threads may write parts of one document, each with a writer of its own (Part).
class JsonWriter {
 public:
  /// Whether a part of a document writes the first entry into the innermost open container.
  enum class Part { First, Later };
  /// Writes a document, or a part of one that begins within `depth` open containers.
  explicit JsonWriter(std::size_t depth = 0, Part part = Part::First)
      : depth_(depth), empty_(part == Part::First), starts_line_(depth > 0) {}

  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_list() { open('['); }
  void close_list() { close(']'); }
  /// Writes the name of the next value or container of an object. `name` must need no escapes.
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  template <std::integral T>
  void value(T number) {
    if constexpr (std::same_as<T, bool>)
      word(number ? "true" : "false");
    else
      word(std::to_string(number));
  }
  void value(const nlohmann::ordered_json& json);
  void null() { word("null"); }

  template <typename T>
  void member(std::string_view name, const T& item) {
    key(name);
    value(item);
  }

  /// Returns the text so far and clears it.
  std::string take();

 private:
  void open(char bracket);
  void close(char bracket);
  /// Writes the comma, line end and indentation before a value, unless a key precedes the value.
  void begin_value();
  void word(std::string_view text);
  void append(std::string_view text);
  void new_line();
  /// Returns free space of `bytes` after the text. The caller writes there and then increases
  /// `size_`.
  char* room(std::size_t bytes) {
    if (capacity_ - size_ < bytes) grow(bytes);
    return text_.get() + size_;
  }
  void grow(std::size_t bytes);

  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t depth_;
  bool empty_;        ///< The innermost container has no entry yet.
  bool starts_line_;  ///< The next value or key is an entry of a container.
};

}  // namespace overlane::explain
