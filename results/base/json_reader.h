#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/finding/finding.h"

namespace overlane {

/// Reads a JSON document that a program wrote. The first problem is kept with its path
/// ("variants[0].name: missing"); from then on everything reads as empty, so that a decoder runs to
/// its end and checks once. A document that people write is read with document::Fields.
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// Both must outlive the reader and those made from it.
  JsonReader(const Json& value, std::string& problem) : JsonReader(&value, &problem, "") {}

  /// A member; it is a problem if it is missing.
  JsonReader operator[](const char* key) const;
  /// A member that may be missing or null.
  std::optional<JsonReader> maybe(const char* key) const;

  std::string string() const;
  bool boolean() const;
  std::int64_t integer() const;
  std::uint64_t unsigned_integer() const;
  double number() const;
  /// A fraction in parts per million.
  std::int64_t ppm() const;
  std::vector<std::int64_t> integers() const;
  std::vector<std::string> strings() const;
  /// The value as it is, which must be there.
  const Json& json() const;

  /// One of the words that to_string() makes of `values`.
  template <typename Word>
  Word word(std::initializer_list<Word> values) const {
    const std::string text = string();
    for (const Word value : values)
      if (text == to_string(value)) return value;
    if (value_ != nullptr) fault("\"" + text + "\" is not known here");
    return *values.begin();
  }

  /// What `decode_one` makes of each item of the list.
  template <typename Decode>
  auto list(Decode decode_one) const {
    std::vector<decltype(decode_one(*this))> values;
    for (const JsonReader& item : items())
      values.push_back(decode_one(item));
    return values;
  }
  /// A list that may be missing.
  template <typename Decode>
  auto maybe_list(const char* key, Decode decode_one) const {
    const auto given = maybe(key);
    return given ? given->list(decode_one) : std::vector<decltype(decode_one(*this))>{};
  }

  /// The members of the object with their keys, and the items of the list.
  std::vector<std::pair<std::string, JsonReader>> members() const;
  std::vector<JsonReader> items() const;

  /// Keeps a problem of this value, unless there is one.
  void fault(std::string_view what) const;

 private:
  JsonReader(const Json* value, std::string* problem, std::string path)
      : value_(value), problem_(problem), path_(std::move(path)) {}

  /// Whether the value, if there is one, is what `kind` says; it is a problem if not.
  bool is(bool right, std::string_view kind) const;
  const Json* member(const char* key) const;
  std::string joined(std::string_view key) const;

  const Json* value_;  ///< nullptr: missing, which has been said.
  std::string* problem_;
  std::string path_;
};

/// Why a document is not of this kind and version; nothing if it is.
std::optional<std::string> wrong_kind(const nlohmann::ordered_json& document, std::string_view kind,
                                      std::int64_t version);

/// Decodes a document, or says what is wrong with it.
template <typename Decode>
auto read_json(const nlohmann::ordered_json& document, Decode decode_one) {
  std::string problem;
  auto value = decode_one(JsonReader(document, problem));
  using Value = decltype(value);
  return problem.empty() ? Parsed<Value>(std::move(value))
                         : Parsed<Value>(fail(std::move(problem)));
}

}  // namespace overlane
