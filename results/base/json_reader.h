#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/base/result.h"

namespace overlane {

/// Reads a JSON document that a program wrote, such as the report of an earlier run. A reader
/// refers to one value of the document; operator[], maybe(), items() and members() return readers
/// of the values below it. Only the first problem is recorded, with its path ("variants[0].name:
/// missing"); a value that is missing or has the wrong type reads as empty. A decoder therefore
/// needs no error checks, and its caller checks once (read_json()). Documents that people write are
/// read with document::Fields, which reports all problems with lines and columns.
class JsonReader {
 public:
  using Json = nlohmann::ordered_json;

  /// `value` and `problem` must outlive this reader and all readers made from it.
  JsonReader(const Json& value, std::string& problem) : JsonReader(&value, &problem, "") {}

  /// A required member; records a problem if it is missing.
  JsonReader operator[](const char* key) const;
  /// A member that may be missing or null.
  std::optional<JsonReader> maybe(const char* key) const;

  std::string string() const;
  bool boolean() const;
  std::int64_t integer() const;
  std::uint64_t unsigned_integer() const;
  double number() const;
  /// A decimal fraction, converted to parts per million.
  std::int64_t ppm() const;
  std::vector<std::int64_t> integers() const;
  std::vector<std::string> strings() const;
  /// The JSON value itself; null if it is missing.
  const Json& json() const;

  /// The one of `values` whose to_string() is this text. Records a problem if there is none.
  template <typename Word>
  Word word(std::initializer_list<Word> values) const {
    const std::string text = string();
    for (const Word value : values)
      if (text == to_string(value)) return value;
    if (value_ != nullptr) fault("\"" + text + "\" is not known here");
    return *values.begin();
  }

  /// The items of the list, each decoded by `decode_one`.
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

  /// Readers of the object's members with their keys, and of the list's items.
  std::vector<std::pair<std::string, JsonReader>> members() const;
  std::vector<JsonReader> items() const;

  /// Records a problem of this value, unless a problem is recorded already.
  void fault(std::string_view what) const;

 private:
  JsonReader(const Json* value, std::string* problem, std::string path)
      : value_(value), problem_(problem), path_(std::move(path)) {}

  /// Returns `right`. Records that the value is not `kind` if it is present and `right` is false.
  bool is(bool right, std::string_view kind) const;
  const Json* member(const char* key) const;
  std::string joined(std::string_view key) const;

  const Json* value_;  ///< nullptr: missing; a missing required value was recorded as a problem.
  std::string* problem_;
  std::string path_;
};

/// The reason why a document does not have this kind and version; nothing if it does.
std::optional<std::string> wrong_kind(const nlohmann::ordered_json& document, std::string_view kind,
                                      std::int64_t version);

/// Decodes a document. The error is the first problem that the decoder recorded.
template <typename Decode>
auto read_json(const nlohmann::ordered_json& document, Decode decode_one) {
  std::string problem;
  auto value = decode_one(JsonReader(document, problem));
  using Value = decltype(value);
  return problem.empty() ? Parsed<Value>(std::move(value))
                         : Parsed<Value>(fail(std::move(problem)));
}

}  // namespace overlane
