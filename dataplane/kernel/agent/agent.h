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

// The agent of `overlane testbed` allows a client on another host to carry traffic between two
// machines. It authenticates the client, makes pods, tunnels and routes on its own host, and runs
// flows (kernel/traffic). It accepts only the typed requests of protocol/messages.h. It serves one
// client at a time and removes everything that it made when the connection ends. Agent listens;
// Session is one connection.

struct AgentOptions {
  Endpoint listen;
  HostNetwork network = HostNetwork::Pods;
  std::optional<std::string>
      uplink;  ///< Empty: the device with the address to which clients connect.
  /// Without a message of the client for this time, the connection ends and everything is removed.
  std::chrono::milliseconds longest_silence = std::chrono::seconds(30);
  bool is_once = false;                         ///< Ends after the first measurement.
  std::function<void(const std::string&)> log;  ///< Receives log lines, from several threads.
};

/// How an agent ended.
enum class AgentEnd : std::uint8_t {
  Stopped,   ///< The caller set `stop`.
  Measured,  ///< Only with `is_once`: a measurement was completed.
  Lost,      ///< Only with `is_once`: the client of a measurement disconnected unexpectedly.
};

/// Serves measurements on this host, one client at a time. Accepts only typed requests (messages.h)
/// of clients that know the token. At the end of each connection, for whatever reason, it removes
/// what it made on the host.
class Agent {
 public:
  /// Starts to listen. Fails if the address is not available, if pods are wanted without root, or
  /// if the host has leftovers of an agent that was killed.
  static Parsed<Agent> start(AgentOptions options, Token token);

  std::uint16_t port() const { return port_; }
  /// Serves clients until `stop` is set, or with `is_once` until the first measurement ends.
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

/// Time limits for writing a message, and for a client's proof that it knows the token.
inline constexpr std::chrono::seconds kWritePatience{10};
inline constexpr std::chrono::seconds kProofPatience{5};
/// Delay of the answer to a wrong token, which slows down guessing.
inline constexpr std::chrono::seconds kRefusalDelay{1};

enum class SessionEnd : std::uint8_t {
  Refused,   ///< The client was not authenticated, so nothing was measured.
  Measured,  ///< The client ended the session.
  Lost,      ///< The client disconnected or broke the protocol, or the agent was stopped.
};

/// The connection of one client, from Hello to its end.
class Session {
 public:
  Session(Channel channel, const AgentOptions& options, const Token& token, IsOver is_stopped);

  SessionEnd run();

 private:
  bool authenticate();
  /// Executes a request and sends the answer. Returns whether the session continues.
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
  std::optional<HostDataplane> host_;  ///< Set after the client's request for the host's facts.
  /// Declared after the dataplane, so that its sockets are closed before their namespaces.
  std::optional<kernel::Traffic> traffic_;
  bool has_run_ = false;  ///< The traffic is running.
  bool has_left_ = false;
};

}  // namespace overlane::agent
