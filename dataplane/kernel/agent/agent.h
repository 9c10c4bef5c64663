#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dataplane/kernel/agent/protocol/authentication.h"
#include "dataplane/kernel/agent/protocol/channel.h"
#include "dataplane/kernel/agent/protocol/messages.h"

namespace overlane::agent {

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
  Stopped,   ///< As asked.
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

}  // namespace overlane::agent
