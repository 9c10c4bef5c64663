#include "tools/overlane/schema/json_schema.h"

#include <map>

#include <nlohmann/json.hpp>

#include "topologies/document/fields/shape.h"

namespace overlane::command {
namespace {

using SchemaShape = document::Shape;
using OrderedJson = nlohmann::ordered_json;
using Type = SchemaShape::Type;

const char* type_name(Type type) {
  switch (type) {
    case Type::String:
      return "string";
    case Type::Boolean:
      return "boolean";
    case Type::Integer:
      return "integer";
    case Type::Number:
      return "number";
    case Type::List:
      return "array";
    case Type::Mapping:
      return "object";
    case Type::Any:
      break;
  }
  return nullptr;
}

/// Writes the schema of a field and of everything below it.
class Writer {
 public:
  explicit Writer(const FileKind& kind) : kind_(&kind) {}

  OrderedJson write(const SchemaShape& shape, const std::string& path) const {
    OrderedJson json = OrderedJson::object();
    if (const std::string_view text = kind_->text_of(path); !text.empty())
      json["description"] = text;
    if (const char* type = type_name(shape.type)) json["type"] = type;
    if (shape.words.size() == 1) json["const"] = shape.words.front();
    if (shape.words.size() > 1) json["enum"] = shape.words;
    if (!shape.pattern.empty()) json["pattern"] = shape.pattern;
    if (!shape.example.empty()) json["examples"] = {shape.example};
    if (shape.least) json["minimum"] = *shape.least;
    if (shape.most) json["maximum"] = *shape.most;
    if (shape.deprecated) json["deprecated"] = true;
    if (shape.item) json["items"] = write(*shape.item, path + "[]");
    if (shape.type == Type::Mapping) add_entries(shape, path, json);
    return json;
  }

 private:
  void add_entries(const SchemaShape& shape, const std::string& path, OrderedJson& json) const {
    OrderedJson properties = OrderedJson::object();
    OrderedJson required = OrderedJson::array();
    for (const auto& [key, entry] : shape.entries) {
      if (entry.removed) continue;
      properties[key] = write(entry, path.empty() ? key : path + "." + key);
      if (entry.required.is_always) required.push_back(key);
    }
    if (!properties.empty()) json["properties"] = std::move(properties);
    if (!required.empty()) json["required"] = std::move(required);
    if (shape.closed) json["additionalProperties"] = false;
    add_conditions(shape, json);
  }

  /// Adds conditions that depend on the value of another field.
  static void add_conditions(const SchemaShape& shape, OrderedJson& json) {
    std::map<SchemaShape::When, std::pair<OrderedJson, OrderedJson>>
        conditions;  // Required and rejected fields.
    for (const auto& [key, entry] : shape.entries) {
      if (entry.required.is_conditional()) conditions[entry.required].first.push_back(key);
      if (entry.asked.is_conditional()) conditions[entry.asked].second[key] = false;
    }
    for (auto& [when, parts] : conditions) {
      OrderedJson condition{{"if", {{"properties", {{when.key, {{"enum", when.words}}}}}}}};
      if (!parts.first.empty()) condition["then"]["required"] = std::move(parts.first);
      if (!parts.second.empty()) condition["else"]["properties"] = std::move(parts.second);
      json["allOf"].push_back(std::move(condition));
    }
  }

  const FileKind* kind_;
};

}  // namespace

OrderedJson json_schema(const FileKind& kind) {
  OrderedJson json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", kind.name}};
  json.update(Writer(kind).write(document::explore(kind.decode), ""));
  return json;
}

}  // namespace overlane::command
