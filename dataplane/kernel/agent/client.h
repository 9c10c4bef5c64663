#pragma once

#include <chrono>
#include <string>

#include "dataplane/kernel/agent/protocol/channel.h"
#include "dataplane/kernel/agent/protocol/messages.h"

namespace overlane::agent {

/// Time limit for an answer of an agent, in addition to the duration of the slice.
inline constexpr std::chrono::seconds kAnswerPatience{20};

/// Reason why a request has no answer.
struct ClientFailure {
  std::string message;  ///< "agent 192.0.2.1:7411: …"
  bool is_lost =
      false;  ///< The connection is lost; otherwise the agent could not execute the request.
};
template <typename T>
using Answered = Result<T, ClientFailure>;

/// The connection to one agent. Sending a request and receiving its answer are separate, so that
/// two agents can work at the same time. Each request must be followed by receiving its answer.
/// When the client disconnects, the agent removes what it made.
class Client {
 public:
  /// Connects, and authenticates both sides.
  static Answered<Client> connect(const Endpoint& endpoint, const Token& token, IsOver is_over);

  /// The agent's address as the user wrote it: "192.0.2.1:7411".
  const std::string& name() const { return name_; }

  Answered<void> send(const Request& request);
  /// Receives the answer to the last request. `Expected` is the type of answer that the request
  /// has: Done, HostFacts or Figures.
  template <typename Expected>
  Answered<Expected> receive(std::chrono::milliseconds patience = kAnswerPatience) {
    auto answer = receive_any(patience);
    if (!answer) return fail(answer.error());
    if (auto* expected = std::get_if<Expected>(&*answer)) return std::move(*expected);
    return fail(lost("it answered what was not asked"));
  }
  template <typename Expected>
  Answered<Expected> ask(const Request& request) {
    if (auto sent = send(request); !sent) return fail(sent.error());
    return receive<Expected>();
  }

 private:
  Client(std::string name, Channel channel, IsOver is_over)
      : name_(std::move(name)), channel_(std::move(channel)), is_over_(std::move(is_over)) {}

  Answered<void> authenticate(const Token& token);
  Answered<Answer> receive_any(std::chrono::milliseconds patience);
  ClientFailure lost(const std::string& why) const;

  std::string name_;
  Channel channel_;
  IsOver is_over_;
};

}  // namespace overlane::agent
