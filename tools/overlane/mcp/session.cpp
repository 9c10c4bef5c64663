#include "tools/overlane/mcp/session.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace overlane::mcp {
namespace {

constexpr std::array kVersions = {
    ProtocolVersion{.name = "2024-10-07", .has_structured_content = false},
    ProtocolVersion{.name = "2024-11-05", .has_structured_content = false},
    ProtocolVersion{.name = "2025-03-26", .has_batches = true, .has_structured_content = false},
    ProtocolVersion{.name = "2025-06-18"},
    ProtocolVersion{.name = "2025-11-25"},
};

constexpr std::string_view kInstructions =
    "Overlane predicts what happens to pod traffic of Gardener shoots with and without an overlay "
    "network. It reads manifests only: give their text in manifests, or paths below the server's "
    "folder, or names of library files. Use explain for what a manifest configures and why, check "
    "for mistakes, trace for one packet, run for throughput and latency of the dataplane modes, "
    "migrate for a switch between modes, overlap for address conflicts between shoots. Values "
    "marked as assumed are in no manifest. No tool changes anything.";

tl::unexpected<RpcError> refused(ErrorCode code, std::string message) {
  return fail(RpcError{code, std::move(message)});
}

/// All entries fit on the first page, so no cursor is valid.
Result<void, RpcError> check_cursor(const Json& params) {
  if (params.contains("cursor"))
    return refused(ErrorCode::InvalidParams, "there is one page; omit cursor");
  return {};
}

/// The token with which a request asks for progress; null if it has none.
Json progress_token(const Json& params) {
  const auto about = params.find("_meta");
  if (about == params.end() || !about->is_object()) return nullptr;
  const auto token = about->find("progressToken");
  if (token == about->end() || !(token->is_string() || token->is_number())) return nullptr;
  return *token;
}

Json text_content(std::string text) {
  return {{"type", "text"}, {"text", std::move(text)}};
}

}  // namespace

std::span<const ProtocolVersion> protocol_versions() {
  return kVersions;
}

Session::Session(std::span<const Tool> tools, const Resources& resources, std::string version)
    : tools_(tools), resources_(&resources), program_version_(std::move(version)) {}

Effects Session::take(std::string_view line) {
  Effects effects;
  if (line.find_first_not_of(" \t\r") == line.npos) return effects;
  auto value = parse_json(line);
  if (!value)
    send(error_message(nullptr, value.error()), nullptr, effects);
  else if (value->is_array())
    take_batch(*std::move(value), effects);
  else
    take_message(*std::move(value), nullptr, effects);
  return effects;
}

Effects Session::take_too_long(std::size_t limit) {
  Effects effects;
  const RpcError error{ErrorCode::InvalidRequest,
                       fmt::format("the message has more than {} bytes; give paths of files "
                                   "instead of their text",
                                   limit)};
  send(error_message(nullptr, error), nullptr, effects);
  return effects;
}

void Session::take_batch(Json batch, Effects& effects) {
  const auto refuse = [&](std::string message) {
    send(error_message(nullptr, {ErrorCode::InvalidRequest, std::move(message)}), nullptr, effects);
  };
  if (version_ == nullptr) return refuse("a batch needs initialize first");
  if (!version_->has_batches)
    return refuse(fmt::format("version {} of the protocol has no batches", version_->name));
  if (batch.empty()) return refuse("the batch is empty");
  if (batch.size() > kMaxCalls)
    return refuse(fmt::format("the batch has more than {} messages", kMaxCalls));
  const auto answers = std::make_shared<Batch>();
  for (Json& value : batch)
    take_message(std::move(value), answers, effects);
  end_batch(answers, effects);
}

void Session::take_message(Json value, const std::shared_ptr<Batch>& batch, Effects& effects) {
  Json id;
  auto message = message_of(std::move(value), id);
  if (!message) return send(error_message(id, message.error()), batch, effects);
  switch (message->kind) {
    case Message::Kind::Response:
      return;  // The server sends no requests.
    case Message::Kind::Notification:
      if (message->method == "notifications/cancelled") cancel(message->params, effects);
      return;
    case Message::Kind::Request:
      break;
  }
  auto result = answer_to(*std::move(message), batch, effects);
  if (!result)
    send(error_message(id, result.error()), batch, effects);
  else if (*result)
    send(result_message(id, **std::move(result)), batch, effects);
}

/// The result, or nothing if a call will have it.
Answer<std::optional<Json>> Session::answer_to(Message message, const std::shared_ptr<Batch>& batch,
                                               Effects& effects) {
  const std::string& method = message.method;
  if (method == "ping") return Json::object();
  if (method == "initialize") {
    if (batch != nullptr)
      return refused(ErrorCode::InvalidRequest, "initialize cannot be part of a batch");
    return initialize(message.params);
  }
  if (version_ == nullptr)
    return refused(ErrorCode::InvalidRequest, "the session needs initialize first");
  if (method == "tools/call") return call_tool(std::move(message), batch, effects);
  if (method == "resources/read") return resources_->read(message.params);
  using List = Json (*)(const Session&);
  constexpr std::array<std::pair<std::string_view, List>, 3> kLists = {{
      {"tools/list",
       [](const Session& session) {
         Json tools = Json::array();
         for (const Tool& tool : session.tools_)
           tools.push_back(tool.description());
         return Json{{"tools", std::move(tools)}};
       }},
      {"resources/list", [](const Session& session) { return session.resources_->list(); }},
      {"resources/templates/list",
       [](const Session& session) { return session.resources_->list_templates(); }},
  }};
  for (const auto& [name, list] : kLists) {
    if (method != name) continue;
    if (auto checked = check_cursor(message.params); !checked) return fail(checked.error());
    return list(*this);
  }
  return refused(ErrorCode::UnknownMethod, fmt::format("there is no method {}", method));
}

Answer<Json> Session::initialize(const Json& params) {
  if (version_ != nullptr)
    return refused(ErrorCode::InvalidRequest, "the session is already initialized");
  const auto wanted = params.find("protocolVersion");
  if (wanted == params.end() || !wanted->is_string())
    return refused(ErrorCode::InvalidParams, "protocolVersion is missing or no string");
  const auto known =
      std::ranges::find(kVersions, wanted->get<std::string>(), &ProtocolVersion::name);
  version_ = known == kVersions.end() ? &kVersions.back() : &*known;
  return Json{
      {"protocolVersion", version_->name},
      {"capabilities", {{"tools", Json::object()}, {"resources", Json::object()}}},
      {"serverInfo", {{"name", "overlane"}, {"title", "Overlane"}, {"version", program_version_}}},
      {"instructions", kInstructions}};
}

Answer<std::optional<Json>> Session::call_tool(Message message, const std::shared_ptr<Batch>& batch,
                                               Effects& effects) {
  const Json& params = message.params;
  const auto name = params.find("name");
  if (name == params.end() || !name->is_string())
    return refused(ErrorCode::InvalidParams, "name is missing or no string");
  const auto tool = std::ranges::find(tools_, name->get<std::string>(), &Tool::name);
  if (tool == tools_.end()) {
    std::vector<std::string_view> names;
    for (const Tool& one : tools_)
      names.push_back(one.name());
    return refused(ErrorCode::InvalidParams,
                   fmt::format("there is no tool {}; choose one of {}", name->get<std::string>(),
                               fmt::join(names, ", ")));
  }
  const auto given = params.find("arguments");
  if (given != params.end() && !given->is_object())
    return refused(ErrorCode::InvalidParams, "arguments is no object");
  const auto is_same = [&](const auto& pending) { return pending.second.id == message.id; };
  if (std::ranges::any_of(pending_, is_same))
    return refused(ErrorCode::InvalidRequest, "a request with this id is not answered yet");
  if (pending_.size() >= kMaxCalls)
    return refused(ErrorCode::TooManyCalls,
                   fmt::format("{} calls are not answered yet; wait for them", kMaxCalls));
  auto call = tool->call(given == params.end() ? Json::object() : *given);
  // Clients show errors of tools to the model, which can then correct the arguments.
  if (!call) return result_of({.text = "error: " + call.error(), .document = {}, .is_error = true});
  pending_[++last_call_] = {std::move(message.id), batch, progress_token(params)};
  if (batch != nullptr) ++batch->waiting;
  effects.calls.emplace_back(last_call_, *std::move(call));
  return std::nullopt;
}

/// A cancelled request gets no answer.
void Session::cancel(const Json& params, Effects& effects) {
  const auto id = params.find("requestId");
  if (id == params.end()) return;
  const auto at =
      std::ranges::find_if(pending_, [&](const auto& call) { return call.second.id == *id; });
  if (at == pending_.end()) return;
  effects.cancelled.push_back(at->first);
  const auto batch = at->second.batch;
  pending_.erase(at);
  if (batch == nullptr) return;
  --batch->waiting;
  end_batch(batch, effects);
}

Effects Session::finish(CallNumber call, ToolResult result) {
  Effects effects;
  const auto at = pending_.find(call);
  if (at == pending_.end()) return effects;
  const PendingCall pending = std::move(at->second);
  pending_.erase(at);
  if (pending.batch != nullptr) --pending.batch->waiting;
  send(result_message(pending.id, result_of(std::move(result))), pending.batch, effects);
  if (pending.batch != nullptr) end_batch(pending.batch, effects);
  return effects;
}

Effects Session::report_progress(CallNumber call, std::int64_t seconds) const {
  Effects effects;
  const auto at = pending_.find(call);
  if (at == pending_.end() || at->second.progress_token.is_null()) return effects;
  const Json params{{"progressToken", at->second.progress_token},
                    {"progress", seconds},
                    {"message", fmt::format("runs for {} s", seconds)}};
  effects.lines.push_back(
      line_of({{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", params}}));
  return effects;
}

Json Session::result_of(ToolResult result) const {
  Json content = Json::array({text_content(std::move(result.text))});
  Json answer{{"content", nullptr}};
  if (result.document && version_->has_structured_content)
    answer["structuredContent"] = *std::move(result.document);
  else if (result.document)
    content.push_back(
        text_content(result.document->dump(-1, ' ', false, Json::error_handler_t::replace)));
  answer["content"] = std::move(content);
  answer["isError"] = result.is_error;
  return answer;
}

void Session::send(Json answer, const std::shared_ptr<Batch>& batch, Effects& effects) {
  if (batch == nullptr)
    effects.lines.push_back(line_of(answer));
  else
    batch->answers.push_back(std::move(answer));
}

/// Sends the answers of a batch once it has all. A batch of notifications has none.
void Session::end_batch(const std::shared_ptr<Batch>& batch, Effects& effects) {
  if (batch->waiting > 0 || batch->answers.empty()) return;
  effects.lines.push_back(line_of(batch->answers));
  batch->answers.clear();
}

}  // namespace overlane::mcp
