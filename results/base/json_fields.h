#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

namespace overlane {

// One list of fields for each struct of a JSON document that a program writes and reads again. The
// list is a function template beside the struct's JSON name:
//
//   template <typename Archive, same_as_or_const<Movement> Value>
//   void fields(Archive& archive, Value& movement) {
//     archive.required("constant", movement.constant);
//     archive.optional("also", movement.also);
//   }
//
// encode_fields() calls it with a JsonFieldWriter, which writes the fields in this order, and
// decode_fields() with a JsonFieldParser. Both know booleans, numbers, strings, lists, maps from
// strings, enumerations with JsonWords and structs with fields(); JsonCodec adds other types.
// Values; any thread.

template <typename Value, typename T>
concept same_as_or_const = std::same_as<std::remove_const_t<Value>, T>;

/// How much of a document is written: all of it, or only the results that count for a hash, with
/// exact numbers.
enum class JsonDetail : std::uint8_t { All, Hashed };

/// The values of an enumeration with to_string(), as `static constexpr std::array values`.
template <typename Enum>
struct JsonWords;

/// JSON of a type that is no struct with fields(): `static Json encode(const T&, JsonDetail)` and
/// `static T decode(const JsonReader&)`.
template <typename T>
struct JsonCodec;

class JsonFieldWriter;
class JsonFieldParser;

namespace json_fields {

using Json = nlohmann::ordered_json;

template <typename T>
concept HasCodec = requires {
  &JsonCodec<T>::decode;
};
template <typename T>
inline constexpr bool kIsVector = false;
template <typename Item>
inline constexpr bool kIsVector<std::vector<Item>> = true;
template <typename T>
inline constexpr bool kIsMap = false;
template <typename Item>
inline constexpr bool kIsMap<std::map<std::string, Item>> = true;

template <typename T>
Json encode(const T& value, JsonDetail detail);
template <typename T>
T decode(const JsonReader& json);

/// Whether an optional, a list, a map or a text has nothing in it.
template <typename T>
bool is_absent(const std::optional<T>& value) {
  return !value.has_value();
}
template <typename T>
bool is_absent(const T& value) {
  return value.empty();
}
template <typename T>
const T& content(const std::optional<T>& value) {
  return *value;
}
template <typename T>
const T& content(const T& value) {
  return value;
}

}  // namespace json_fields

/// Writes fields to a JSON object.
class JsonFieldWriter {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr bool kReads = false;

  explicit JsonFieldWriter(JsonDetail detail) : detail_(detail) {}

  JsonDetail detail() const { return detail_; }

  /// A member that is always there.
  template <typename T>
  void required(const char* key, const T& value) {
    json_[key] = json_fields::encode(value, detail_);
  }
  /// A member that is null if `value` is absent.
  template <typename T>
  void nullable(const char* key, const T& value) {
    nullable_if(!json_fields::is_absent(value), key, value);
  }
  /// A member that is null unless `is_there`.
  template <typename T>
  void nullable_if(bool is_there, const char* key, const T& value) {
    json_[key] = nullptr;
    if (is_there) json_[key] = json_fields::encode(json_fields::content(value), detail_);
  }
  /// A member that is missing if `value` is absent.
  template <typename T>
  void optional(const char* key, const T& value) {
    if (!json_fields::is_absent(value))
      json_[key] = json_fields::encode(json_fields::content(value), detail_);
  }
  /// A member that is an object of its own, with fields of the same struct.
  template <typename Nested>
  void object(const char* key, Nested nested) {
    JsonFieldWriter writer(detail_);
    nested(writer);
    json_[key] = writer.take();
  }
  /// A member that follows from others and is not read.
  void derived(const char* key, Json value) { json_[key] = std::move(value); }

  Json take() { return json_.is_null() ? Json::object() : std::move(json_); }

 private:
  Json json_;
  JsonDetail detail_;
};

/// Reads fields of a JSON object. The first problem is kept with its path (JsonReader).
class JsonFieldParser {
 public:
  static constexpr bool kReads = true;

  explicit JsonFieldParser(const JsonReader& json) : json_(json) {}

  static constexpr JsonDetail detail() { return JsonDetail::All; }
  const JsonReader& json() const { return json_; }

  template <typename T>
  void required(const char* key, T& value) {
    value = json_fields::decode<T>(json_[key]);
  }
  template <typename T>
  void nullable(const char* key, T& value) {
    optional(key, value);
  }
  template <typename T>
  void nullable_if(bool, const char* key, T& value) {
    optional(key, value);
  }
  template <typename T>
  void optional(const char* key, T& value) {
    if (const auto given = json_.maybe(key)) value = json_fields::decode<T>(*given);
  }
  template <typename T>
  void optional(const char* key, std::optional<T>& value) {
    if (const auto given = json_.maybe(key)) value = json_fields::decode<T>(*given);
  }
  template <typename Nested>
  void object(const char* key, Nested nested) {
    JsonFieldParser parser(json_[key]);
    nested(parser);
  }
  template <typename Value>
  void derived(const char*, const Value&) {}

 private:
  JsonReader json_;
};

namespace json_fields {

template <typename T>
Json encode(const T& value, JsonDetail detail) {
  if constexpr (HasCodec<T>) {
    return JsonCodec<T>::encode(value, detail);
  } else if constexpr (std::is_enum_v<T>) {
    return to_string(value);
  } else if constexpr (kIsVector<T>) {
    Json list = Json::array();
    for (const auto& item : value)
      list.push_back(encode(item, detail));
    return list;
  } else if constexpr (kIsMap<T>) {
    Json members = Json::object();
    for (const auto& [name, item] : value)
      members[name] = encode(item, detail);
    return members;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else {
    JsonFieldWriter writer(detail);
    fields(writer, value);
    return writer.take();
  }
}

template <typename T>
T decode(const JsonReader& json) {
  if constexpr (HasCodec<T>) {
    return JsonCodec<T>::decode(json);
  } else if constexpr (std::is_enum_v<T>) {
    return json.word(JsonWords<T>::values);
  } else if constexpr (kIsVector<T>) {
    return json.list([](const JsonReader& item) { return decode<typename T::value_type>(item); });
  } else if constexpr (kIsMap<T>) {
    T members;
    for (const auto& [name, item] : json.members())
      members[name] = decode<typename T::mapped_type>(item);
    return members;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json.string();
  } else if constexpr (std::is_same_v<T, bool>) {
    return json.boolean();
  } else if constexpr (std::is_floating_point_v<T>) {
    return json.number();
  } else if constexpr (std::is_unsigned_v<T>) {
    return static_cast<T>(json.unsigned_integer());
  } else if constexpr (std::is_integral_v<T>) {
    return json.integer();
  } else {
    T value{};
    JsonFieldParser parser(json);
    fields(parser, value);
    return value;
  }
}

}  // namespace json_fields

template <typename T>
nlohmann::ordered_json encode_fields(const T& value, JsonDetail detail = JsonDetail::All) {
  return json_fields::encode(value, detail);
}

template <typename T>
T decode_fields(const JsonReader& json) {
  return json_fields::decode<T>(json);
}

}  // namespace overlane
