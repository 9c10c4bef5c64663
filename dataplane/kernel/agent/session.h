#pragma once

#include <cstdint>
#include <optional>

#include "dataplane/kernel/agent/agent.h"
#include "dataplane/kernel/agent/host/host_dataplane.h"
#include "dataplane/kernel/agent/protocol/channel.h"

namespace overlane::agent {

/// How long a message may take to be written, and how long the client has to prove itself.
inline constexpr std::chrono::seconds kWritePatience{10};
inline constexpr std::chrono::seconds kProofPatience{5};
/// The answer to a wrong token comes late, so that tokens cannot be tried out fast.
inline constexpr std::chrono::seconds kRefusalDelay{1};

enum class SessionEnd : std::uint8_t {
  Refused,   ///< The client was not authenticated: nothing was measured.
  Measured,  ///< It took leave.
  Lost,      ///< It disappeared, broke the protocol, or the agent was stopped.
};

/// One client's connection, from Hello to its end.
class Session {
 public:
  Session(Channel channel, const AgentOptions& options, const Token& token, IsOver is_stopped);

  SessionEnd run();

 private:
  bool authenticate();
  /// Whether the session goes on.
  bool answer(const Request& request);
  Parsed<Answer> answer_to(const Authenticate&);
  Parsed<Answer> answer_to(const AskFacts&);
  Parsed<Answer> answer_to(const SetUpVariant& variant);
  Parsed<Answer> answer_to(const Prepare& prepare);
  Parsed<Answer> answer_to(const CarryFlows& carry);
  Parsed<Answer> answer_to(const Finish&);
  Parsed<Answer> answer_to(const RemoveAll&);

  bool send(const Answer& answer);
  void refuse(const std::string& reason);
  void log(const std::string& what) const;

  Channel channel_;
  const AgentOptions& options_;
  const Token& token_;
  IsOver is_stopped_;
  std::optional<HostDataplane> host_;  ///< Since the client asked for the facts.
  /// After the dataplane: its sockets are closed before their namespaces are.
  std::optional<kernel::Traffic> traffic_;
  bool has_run_ = false;  ///< The traffic is under way.
  bool has_left_ = false;
};

}  // namespace overlane::agent
