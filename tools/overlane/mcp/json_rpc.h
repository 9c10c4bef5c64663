#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "results/finding/finding.h"

// Messages of JSON-RPC 2.0 (jsonrpc.org/specification) as the Model Context Protocol uses them: a
// request has an id that is a string or a number, a notification has none, and an answer has either
// a result or an error. Values only; any thread may use them.
namespace overlane::mcp {

using Json = nlohmann::ordered_json;

/// Error codes of JSON-RPC, and those of the protocol in the range for servers.
enum class ErrorCode : int {
  Parse = -32700,           ///< The text is no JSON.
  InvalidRequest = -32600,  ///< The JSON is no valid message, or not at this time.
  UnknownMethod = -32601,
  InvalidParams = -32602,
  TooManyCalls = -32000,
  ResourceNotFound = -32002,
};

/// An error that answers a request.
struct RpcError {
  ErrorCode code{};
  std::string message;
};

template <typename T>
using Answer = Result<T, RpcError>;

/// A message of the client.
struct Message {
  enum class Kind { Request, Notification, Response };
  Kind kind{};
  Json id;  ///< Null for a notification.
  std::string method;
  Json params;  ///< An object, which is empty if there were none.
};

/// Parses a text as JSON. Rejects invalid UTF-8 and bytes after the value. Needs no stack for
/// nested values.
Answer<Json> parse_json(std::string_view text);

/// The message in a JSON value; ErrorCode::InvalidRequest if it is none. If the value has a usable
/// id, `id` is set to it also on an error, so that the error can name it.
Answer<Message> message_of(Json value, Json& id);

/// An answer with a result.
Json result_message(const Json& id, Json result);
/// An answer with an error. `id` is null if the request's own is unknown.
Json error_message(const Json& id, const RpcError& error);

/// A message as one line of valid UTF-8, with the line feed that ends it.
std::string line_of(const Json& message);

}  // namespace overlane::mcp
