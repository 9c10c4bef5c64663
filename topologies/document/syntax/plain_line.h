#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace overlane::document {

/// Whether the text is printable ASCII and line feeds only.
bool is_plain_text(std::string_view text);

/// A line `key: value`, or `key:`, in block-style YAML.
struct PlainEntry {
  std::string_view key;  ///< Without quotes.
  std::string_view value;
  bool is_plain = false;  ///< Otherwise yaml-cpp must parse it.
};

/// Nothing if the line is no entry: it has no `: ` and no `:` at the end. The line is not empty.
std::optional<PlainEntry> split_entry(std::string_view line);

/// A value that extends to the end of its line.
struct PlainValue {
  enum class Form : std::uint8_t {
    Null,
    Text,
    Quoted,         ///< Without escapes.
    Literal,        ///< |, with the text in the following lines.
    EmptySequence,  ///< []
    EmptyMapping,   ///< {}
    Other,          ///< yaml-cpp must parse it.
  };
  Form form = Form::Other;
  std::string_view text;  ///< Without quotes.
};

PlainValue read_plain_value(std::string_view value);

}  // namespace overlane::document
