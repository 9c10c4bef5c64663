#include "topologies/explain/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace overlane::explain {

namespace json_writer_test {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

void write(const Json& json, JsonWriter& writer) {
  if (json.is_object()) {
    writer.open_object();
    for (const auto& [key, entry] : json.items()) {
      writer.key(key);
      write(entry, writer);
    }
    writer.close_object();
  } else if (json.is_array()) {
    writer.open_list();
    for (const Json& item : json)
      write(item, writer);
    writer.close_list();
  } else if (json.is_string()) {
    writer.value(json.get_ref<const std::string&>());
  } else if (json.is_boolean()) {
    writer.value(json.get<bool>());
  } else if (json.is_null()) {
    writer.null();
  } else {
    writer.value(json.get<std::int64_t>());
  }
}

/// Every character alone and within a longer text, and invalid UTF-8.
Json all_texts() {
  Json texts = Json::array();
  for (int byte = 0; byte < 256; ++byte)
    for (const char* around : {"", "seven b", "longer than eight bytes"})
      texts.push_back(around + std::string(1, static_cast<char>(byte)) + around);
  for (const char* text : {"caf\u00e9", "\u2026", "\xe2\x80", "\xff\xfe", "a \"quoted\" \\ text"})
    texts.push_back(text);
  return texts;
}

TEST(JsonWriter, WritesWhatDumpWrites) {
  const Json documents[] = {
      Json::object(),
      Json::array(),
      "text",
      {{"a", 1}, {"b", {{"c", -5}, {"d", nullptr}}}, {"e", Json::array()}, {"f", true}},
      {{"list", {1, Json::object(), {{"x", Json::array({Json::array()})}}, "last"}}},
      {{"most", INT64_MAX}, {"least", INT64_MIN}, {"texts", all_texts()}}};
  for (const Json& json : documents) {
    JsonWriter writer;
    write(json, writer);
    EXPECT_EQ(writer.take(), dump(json));
  }
}

TEST(JsonWriter, IndentsADocumentThatIsAValue) {
  const Json inner = {{"a", {1, "two\nlines"}}, {"b", Json::object()}};
  JsonWriter writer;
  writer.open_object();
  writer.member("inner", inner);
  writer.close_object();
  EXPECT_EQ(writer.take(), dump(Json{{"inner", inner}}));
}

TEST(JsonWriter, WritesADocumentInParts) {
  JsonWriter head;
  head.open_object();
  head.key("list");
  head.open_list();
  std::string text = head.take();
  for (const int number : {1, 2}) {
    JsonWriter part(2, number == 1 ? JsonWriter::Part::First : JsonWriter::Part::Later);
    part.open_object();
    part.member("number", number);
    part.close_object();
    text += part.take();
  }
  JsonWriter tail(2, JsonWriter::Part::Later);
  tail.close_list();
  tail.close_object();
  EXPECT_EQ(text + tail.take(), dump(Json{{"list", {{{"number", 1}}, {{"number", 2}}}}}));
}

}  // namespace json_writer_test

}  // namespace overlane::explain
