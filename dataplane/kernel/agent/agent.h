#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dataplane/kernel/agent/host_dataplane.h"
#include "dataplane/kernel/agent/protocol/channel.h"
#include "dataplane/kernel/agent/protocol/messages.h"

namespace overlane::agent {

// The agent lets a client on another host carry traffic between two machines: it authenticates
// the client, makes pods, tunnels and routes, and runs flows (kernel/traffic). It accepts only
// the typed requests of protocol/messages.h and removes everything when the connection ends.
// One client at a time; Session is one connection.

struct AgentOptions {
  Endpoint listen;
  HostNetwork network = HostNetwork::Pods;
  std::optional<std::string> uplink;  ///< Empty: the device with the address that clients use.
  /// After so long without a message of the client, all is removed.
  std::chrono::milliseconds longest_silence = std::chrono::seconds(30);
  bool is_once = false;                         ///< Ends after the first measurement.
  std::function<void(const std::string&)> log;  ///< Told what happens, from several threads.
};

/// How an agent ended.
enum class AgentEnd : std::uint8_t {
  Stopped,   ///< The caller set `stop`.
  Measured,  ///< Only with `is_once`: a measurement came to its end.
  Lost,      ///< Only with `is_once`: the client of a measurement disappeared.
};

/// Serves measurements on this host, one client at a time: only typed requests (messages.h) of
/// clients that know the token. What it makes on the host is removed at the end of each connection,
/// however it ends.
class Agent {
 public:
  /// Listens from then on. Fails if the address is not to be had, without root if pods are wanted,
  /// and if an agent that was killed left something on the host.
  static Parsed<Agent> start(AgentOptions options, Token token);

  std::uint16_t port() const { return port_; }
  /// Serves until `stop` is set.
  AgentEnd serve(const std::atomic<bool>& stop);

 private:
  Agent(AgentOptions options, Token token, kernel::OwnedFd listener, std::uint16_t port)
      : options_(std::move(options)),
        token_(std::move(token)),
        listener_(std::move(listener)),
        port_(port) {}

  AgentOptions options_;
  Token token_;
  kernel::OwnedFd listener_;
  std::uint16_t port_;
};

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
