#include "dataplane/capture/packet_json.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::capture {
namespace {

/// A file's name and libpcap's words may hold anything.
std::string json_string(std::string_view text) {
  using ErrorHandler = nlohmann::json::error_handler_t;
  return nlohmann::json(text).dump(-1, ' ', false, ErrorHandler::replace);
}

/// Names and values of fields need no escapes: words, addresses, hexadecimal bytes.
void append_text(std::string& json, std::string_view text) {
  json += '"';
  json += text;
  json += '"';
}

void append_fields(std::string& json, const Fields& fields);

struct AppendValue {
  std::string& json;

  void operator()(std::uint64_t number) const {
    fmt::format_to(std::back_inserter(json), "{}", number);
  }
  void operator()(const std::string& text) const { append_text(json, text); }
  void operator()(const std::vector<Fields>& list) const {
    json += '[';
    for (const Fields& fields : list) {
      if (&fields != &list.front()) json += ',';
      json += '{';
      append_fields(json, fields);
      json += '}';
    }
    json += ']';
  }
};

void append_fields(std::string& json, const Fields& fields) {
  for (const Field& field : fields) {
    if (&field != &fields.front()) json += ',';
    append_text(json, field.name);
    json += ':';
    std::visit(AppendValue{json}, field.value);
  }
}

void append_layer(std::string& json, const Layer& layer) {
  json += R"({"layer":)";
  append_text(json, to_string(layer.kind));
  if (!layer.fields.empty()) json += ',';
  append_fields(json, layer.fields);
  json += '}';
}

}  // namespace

std::string to_json(const DecodedPacket& packet, std::string_view file) {
  std::string json = "{";
  if (!file.empty()) json += fmt::format(R"("file":{},)", json_string(file));
  json += fmt::format(R"("number":{},"timestamp":"{}","length_bytes":{},"layers":[)", packet.number,
                      packet.timestamp.to_string(), packet.length_bytes);
  for (const Layer& layer : packet.layers) {
    if (&layer != &packet.layers.front()) json += ',';
    append_layer(json, layer);
  }
  json += R"(],"problems":[)";
  for (const std::string& problem : packet.problems) {
    if (&problem != &packet.problems.front()) json += ',';
    json += json_string(problem);
  }
  json += "]}";
  return json;
}

}  // namespace overlane::capture
