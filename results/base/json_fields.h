#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "results/base/json_field_list.h"
#include "results/base/json_reader.h"

namespace overlane {

// Encodes and decodes structs as JSON by one list of their fields (json_field_list.h).
// encode_fields() calls the list with a JsonFieldWriter, which writes the fields in the order of
// the list. decode_fields() calls it with a JsonFieldParser. schema_of_fields() calls it with a
// JsonFieldSchema, which writes the JSON Schema of the documents of encode_fields(). All three
// support booleans, numbers, strings, lists, maps from strings, enumerations with JsonWords and
// structs with fields(); JsonCodec adds other types. The classes are values without shared state.

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
template <typename T>
Json schema();

/// Whether an optional, a list, a map or a text is empty.
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
template <typename T>
using Content = std::remove_cvref_t<decltype(content(std::declval<const T&>()))>;

}  // namespace json_fields

/// Writes fields to a JSON object.
class JsonFieldWriter {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr bool kReads = false;

  explicit JsonFieldWriter(JsonDetail detail) : detail_(detail) {}

  JsonDetail detail() const { return detail_; }

  /// Writes a member that is always present.
  template <typename T>
  void required(JsonKey key, const T& value) {
    json_[key.name] = json_fields::encode(value, detail_);
  }
  /// Writes a member that is null if `value` is empty.
  template <typename T>
  void nullable(JsonKey key, const T& value) {
    nullable_if(!json_fields::is_absent(value), key, value);
  }
  /// Writes a member that is null unless `is_there`.
  template <typename T>
  void nullable_if(bool is_there, JsonKey key, const T& value) {
    json_[key.name] = nullptr;
    if (is_there) json_[key.name] = json_fields::encode(json_fields::content(value), detail_);
  }
  /// Writes a member unless `value` is empty.
  template <typename T>
  void optional(JsonKey key, const T& value) {
    optional_if(!json_fields::is_absent(value), key, value);
  }
  /// Writes a member if `is_there`.
  template <typename T>
  void optional_if(bool is_there, JsonKey key, const T& value) {
    if (is_there) json_[key.name] = json_fields::encode(json_fields::content(value), detail_);
  }
  /// Writes a member that is a nested object; `nested` lists the fields of that object.
  template <typename Nested>
  void object(JsonKey key, Nested nested) {
    JsonFieldWriter writer(detail_);
    nested(writer);
    json_[key.name] = writer.take();
  }
  /// Writes a member with the same value in every document of this kind. It is not read back.
  void constant(JsonKey key, Json value) { json_[key.name] = std::move(value); }

  Json take() { return json_.is_null() ? Json::object() : std::move(json_); }

 private:
  Json json_;
  JsonDetail detail_;
};

/// Reads fields of a JSON object. JsonReader records the first problem with its path.
class JsonFieldParser {
 public:
  static constexpr bool kReads = true;

  explicit JsonFieldParser(const JsonReader& json) : json_(json) {}

  static constexpr JsonDetail detail() { return JsonDetail::All; }
  const JsonReader& json() const { return json_; }

  template <typename T>
  void required(JsonKey key, T& value) {
    value = json_fields::decode<T>(json_[key.name]);
  }
  template <typename T>
  void nullable(JsonKey key, T& value) {
    optional(key, value);
  }
  template <typename T>
  void nullable_if(bool, JsonKey key, T& value) {
    optional(key, value);
  }
  template <typename T>
  void optional(JsonKey key, T& value) {
    if (const auto given = json_.maybe(key.name)) value = json_fields::decode<T>(*given);
  }
  template <typename T>
  void optional(JsonKey key, std::optional<T>& value) {
    if (const auto given = json_.maybe(key.name)) value = json_fields::decode<T>(*given);
  }
  template <typename T>
  void optional_if(bool, JsonKey key, T& value) {
    optional(key, value);
  }
  template <typename Nested>
  void object(JsonKey key, Nested nested) {
    JsonFieldParser parser(json_[key.name]);
    nested(parser);
  }
  template <typename Value>
  void constant(JsonKey, const Value&) {}

 private:
  JsonReader json_;
};

/// Lists fields as the JSON Schema (draft 2020-12) of the object that JsonFieldWriter writes. Other
/// members are not allowed. The values of the fields are ignored.
class JsonFieldSchema {
 public:
  using Json = nlohmann::ordered_json;
  static constexpr bool kReads = false;

  static constexpr JsonDetail detail() { return JsonDetail::All; }

  template <typename T>
  void required(JsonKey key, const T&) {
    add_required(key, json_fields::schema<T>());
  }
  template <typename T>
  void nullable(JsonKey key, const T&) {
    Json schema = json_fields::schema<json_fields::Content<T>>();
    schema["type"] = {schema["type"], "null"};
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
    add_required(key, std::move(schema));
  }
  template <typename T>
  void nullable_if(bool, JsonKey key, const T& value) {
    nullable(key, value);
  }
  template <typename T>
  void optional(JsonKey key, const T&) {
    add(key, json_fields::schema<json_fields::Content<T>>());
  }
  template <typename T>
  void optional_if(bool, JsonKey key, const T& value) {
    optional(key, value);
  }
  template <typename Nested>
  void object(JsonKey key, Nested nested) {
    JsonFieldSchema below;
    nested(below);
    add_required(key, below.take());
  }
  void constant(JsonKey key, Json value) { add_required(key, {{"const", std::move(value)}}); }

  Json take() {
    return {{"type", "object"},
            {"properties", std::move(properties_)},
            {"required", std::move(required_)},
            {"additionalProperties", false}};
  }

 private:
  void add_required(JsonKey key, Json schema) {
    add(key, std::move(schema));
    required_.push_back(key.name);
  }
  void add(JsonKey key, Json schema) {
    Json& property = properties_[key.name];
    if (*key.text != '\0') property["description"] = key.text;
    property.update(schema);
  }

  Json properties_ = Json::object();
  Json required_ = Json::array();
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
    return static_cast<T>(json.integer());
  } else {
    T value{};
    JsonFieldParser parser(json);
    fields(parser, value);
    return value;
  }
}

template <typename T>
Json schema() {
  if constexpr (HasCodec<T>) {
    return JsonCodec<T>::schema();
  } else if constexpr (std::is_enum_v<T>) {
    Json words = Json::array();
    for (const T value : JsonWords<T>::values)
      words.push_back(to_string(value));
    return {{"type", "string"}, {"enum", std::move(words)}};
  } else if constexpr (kIsVector<T>) {
    return {{"type", "array"}, {"items", schema<typename T::value_type>()}};
  } else if constexpr (kIsMap<T>) {
    return {{"type", "object"}, {"additionalProperties", schema<typename T::mapped_type>()}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_unsigned_v<T>) {
    return {{"type", "integer"}, {"minimum", 0}};
  } else if constexpr (std::is_integral_v<T>) {
    return {{"type", "integer"}};
  } else {
    JsonFieldSchema archive;
    const T value{};
    fields(archive, value);
    return archive.take();
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

template <typename T>
nlohmann::ordered_json schema_of_fields() {
  return json_fields::schema<T>();
}

}  // namespace overlane
