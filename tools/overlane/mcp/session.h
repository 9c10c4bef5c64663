#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/overlane/mcp/json_rpc.h"
#include "tools/overlane/mcp/resources.h"
#include "tools/overlane/mcp/tool.h"

// The server's side of the Model Context Protocol (modelcontextprotocol.io/specification): the
// life cycle (initialize, ping), tools, resources, cancellation, and batches in the version that
// has them. A Session neither reads, writes nor waits: it takes one line and returns the lines to
// send and the calls to start or to stop; the caller (server.h) runs the calls and reports each
// result. For one thread.
namespace overlane::mcp {

/// Number of a call. Unlike the id of its request, the client does not choose it.
using CallNumber = std::uint64_t;

/// The result of a tool's call.
struct ToolResult {
  std::string text;              ///< For people: the verb's text, or its messages if it failed.
  std::optional<Json> document;  ///< The verb's JSON document.
  bool is_error = false;
};

/// A version of the protocol.
struct ProtocolVersion {
  std::string_view name;
  bool has_batches = false;
  bool has_structured_content = true;
};

/// All supported versions, oldest first.
std::span<const ProtocolVersion> protocol_versions();

/// What the caller has to do after a message or a result.
struct Effects {
  std::vector<std::string> lines;  ///< To send, in order, each with its line feed.
  std::vector<std::pair<CallNumber, VerbCall>> calls;  ///< To start.
  std::vector<CallNumber> cancelled;                   ///< To stop; they need no result.
};

class Session {
 public:
  /// The tools and resources must outlive the session. `version` is that of the program.
  Session(std::span<const Tool> tools, const Resources& resources, std::string version);

  /// Takes a line of the client, without its line feed.
  Effects take(std::string_view line);
  /// Takes a line that was longer than `limit` bytes and was not kept.
  static Effects take_too_long(std::size_t limit);
  /// Takes the result of a call. Ignores calls that were cancelled.
  Effects finish(CallNumber call, ToolResult result);

  /// The notification that a call still runs, if its request asked for progress. Clients wait
  /// longer for a call that reports progress. `seconds` since its start must grow from one to the
  /// next.
  Effects report_progress(CallNumber call, std::int64_t seconds) const;

  /// Maximum number of calls that run or wait.
  static constexpr std::size_t kMaxCalls = 64;

 private:
  /// Answers of a batch, which are sent together.
  struct Batch {
    Json answers = Json::array();
    std::size_t waiting = 0;  ///< Calls without a result.
  };
  struct PendingCall {
    Json id;
    std::shared_ptr<Batch> batch;  ///< nullptr: the answer is sent alone.
    Json progress_token;           ///< Null: the request asked for no progress.
  };

  void take_message(Json value, const std::shared_ptr<Batch>& batch, Effects& effects);
  void take_batch(Json batch, Effects& effects);
  Answer<std::optional<Json>> answer_to(Message message, const std::shared_ptr<Batch>& batch,
                                        Effects& effects);
  Answer<Json> initialize(const Json& params);
  Answer<Json> list_tools() const;
  Answer<std::optional<Json>> call_tool(Message message, const std::shared_ptr<Batch>& batch,
                                        Effects& effects);
  void cancel(const Json& params, Effects& effects);
  Json result_of(ToolResult result) const;
  static void send(Json answer, const std::shared_ptr<Batch>& batch, Effects& effects);
  static void end_batch(const std::shared_ptr<Batch>& batch, Effects& effects);

  std::span<const Tool> tools_;
  const Resources* resources_;
  std::string program_version_;
  const ProtocolVersion* version_ = nullptr;  ///< nullptr before initialize.
  CallNumber last_call_ = 0;
  std::map<CallNumber, PendingCall> pending_;
};

}  // namespace overlane::mcp
