#include "tools/overlane/mcp/json_rpc.h"

#include <utility>

namespace overlane::mcp {
namespace {

/// The member of an object, moved out of it; null if there is none.
Json take(Json& object, const char* key) {
  const auto at = object.find(key);
  return at == object.end() ? Json() : std::move(*at);
}

tl::unexpected<RpcError> invalid(std::string message) {
  return fail(RpcError{ErrorCode::InvalidRequest, std::move(message)});
}

}  // namespace

Answer<Json> parse_json(std::string_view text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded())
    return fail(RpcError{ErrorCode::Parse, "the line is not JSON in UTF-8"});
  return value;
}

Answer<Message> message_of(Json value, Json& id) {
  id = nullptr;
  if (!value.is_object()) return invalid("a message is an object");
  const bool has_id = value.contains("id");
  Json given = take(value, "id");
  if (given.is_string() || given.is_number()) id = given;
  if (take(value, "jsonrpc") != "2.0") return invalid("jsonrpc is not \"2.0\"");
  if (!value.contains("method")) {
    if (has_id && (value.contains("result") || value.contains("error")))
      return Message{Message::Kind::Response, id, {}, Json::object()};
    return invalid("there is no method");
  }
  const Json method = take(value, "method");
  if (!method.is_string()) return invalid("method is no string");
  if (has_id && id.is_null()) return invalid("id is no string and no number");
  Json params = value.contains("params") ? take(value, "params") : Json::object();
  if (!params.is_object()) return fail(RpcError{ErrorCode::InvalidParams, "params is no object"});
  return Message{has_id ? Message::Kind::Request : Message::Kind::Notification, id,
                 method.get<std::string>(), std::move(params)};
}

Json result_message(const Json& id, Json result) {
  Json message{{"jsonrpc", "2.0"}, {"id", id}};
  message["result"] = std::move(result);
  return message;
}

Json error_message(const Json& id, const RpcError& error) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error", {{"code", static_cast<int>(error.code)}, {"message", error.message}}}};
}

std::string line_of(const Json& message) {
  // Texts of verbs may quote invalid UTF-8 of their inputs, which JSON does not allow.
  return message.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace overlane::mcp
