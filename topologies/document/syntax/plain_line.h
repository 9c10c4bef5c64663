#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace overlane::document {

/// Whether all is printable ASCII and line feeds.
bool is_plain_text(std::string_view text);

/// A line `key: value`, or `key:`, in block-style YAML.
struct PlainEntry {
  std::string_view key;  ///< Without quotes.
  std::string_view value;
  bool is_plain = false;  ///< Else yaml-cpp must look at it.
};

/// Nothing: there is no `: ` and no `:` at the end, so the line is no entry. It is not empty.
std::optional<PlainEntry> split_entry(std::string_view line);

/// A value that fills the rest of its line.
struct PlainValue {
  enum class Form : std::uint8_t {
    Null,
    Text,
    Quoted,         ///< Without escapes.
    Literal,        ///< |, and the text in the lines behind it.
    EmptySequence,  ///< []
    EmptyMapping,   ///< {}
    Other,          ///< yaml-cpp must look at it.
  };
  Form form = Form::Other;
  std::string_view text;  ///< Without quotes.
};

PlainValue read_plain_value(std::string_view value);

}  // namespace overlane::document
