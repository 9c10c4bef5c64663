#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace overlane {

// Declarations for headers that list the fields of their structs. The list is a function template
// next to the struct; json_fields.h calls it to write the struct as JSON, to read it, and to write
// its JSON Schema:
//
//   template <typename Archive, same_as_or_const<Movement> Value>
//   void fields(Archive& archive, Value& movement) {
//     archive.required({"constant", "Name of the constant."}, movement.constant);
//     archive.optional("also", movement.also);
//   }

/// A member of a JSON object: its name, and its description in the JSON Schema, one short sentence
/// with the unit. Without a description the schema has none. Both must be literals.
struct JsonKey {
  constexpr JsonKey(const char* member, const char* description = "")
      : name(member), text(description) {}

  const char* name;
  const char* text;
};

template <typename Value, typename T>
concept same_as_or_const = std::same_as<std::remove_const_t<Value>, T>;

/// The extent of a written document: all fields, or only the results that are part of the hash,
/// with exact numbers.
enum class JsonDetail : std::uint8_t { All, Hashed };

/// The values of an enumeration with to_string(), as `static constexpr std::array values`.
template <typename Enum>
struct JsonWords;

/// JSON of a type without fields(): `static Json encode(const T&, JsonDetail)`, `static T
/// decode(const JsonReader&)` and `static Json schema()`. It must be declared wherever the type is
/// encoded or decoded: in the header of the type or of its only user.
template <typename T>
struct JsonCodec;

}  // namespace overlane
