#include "dataplane/kernel/agent/agent.h"

#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/agent/session.h"
#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::agent {
namespace {

/// How long a wait for connections lasts before it looks whether it is over.
constexpr std::chrono::milliseconds kAcceptStep{50};

/// The one session, on a thread of its own, so that further clients hear that they have to wait.
class Running {
 public:
  Running(Channel channel, const AgentOptions& options, const Token& token,
          const std::atomic<bool>& stop)
      : session_(std::move(channel), options, token, [&stop] { return stop.load(); }),
        thread_([this] {
          end_ = session_.run();
          is_over_ = true;
        }) {}

  bool is_over() const { return is_over_; }
  /// Waits for its end.
  SessionEnd end() {
    if (thread_.joinable()) thread_.join();
    return end_;
  }

 private:
  Session session_;
  SessionEnd end_ = SessionEnd::Refused;
  std::atomic<bool> is_over_{false};
  std::jthread thread_;
};

void turn_away(Channel channel) {
  static_cast<void>(channel.write(encode(Answer(Refused{"it measures for another client"})),
                                  std::chrono::milliseconds(100), nullptr));
}

}  // namespace

Parsed<Agent> Agent::start(AgentOptions options, Token token) {
  if (options.network == HostNetwork::Pods) {
    if (const auto made = kernel::NetworkNamespace::make(); !made)
      return fail(made.error() +
                  "; without root, --network as-is measures over the network that is there");
    const auto left = leftovers();
    if (!left) return fail(left.error());
    if (!left->empty())
      return fail("an agent that was killed, or another one, has left something here; remove it: " +
                  *left);
  }
  auto listener = listen_at(options.listen);
  if (!listener) return fail(listener.error());
  const auto port = port_of(*listener);
  if (!port) return fail(port.error());
  return Agent(std::move(options), std::move(token), *std::move(listener), *port);
}

AgentEnd Agent::serve(const std::atomic<bool>& stop) {
  std::optional<Running> running;
  const auto ended = [&]() -> std::optional<SessionEnd> {
    if (!running || !running->is_over()) return std::nullopt;
    const SessionEnd end = running->end();
    running.reset();
    return end;
  };
  while (!stop) {
    pollfd ready{.fd = listener_.get(), .events = POLLIN, .revents = 0};
    const bool is_asked = poll(&ready, 1, static_cast<int>(kAcceptStep.count())) > 0;
    const auto end = ended();
    if (options_.is_once && end == SessionEnd::Measured) return AgentEnd::Measured;
    if (options_.is_once && end == SessionEnd::Lost && !stop) return AgentEnd::Lost;
    if (!is_asked) continue;
    kernel::OwnedFd client(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!client.is_open()) continue;
    if (running)
      turn_away(Channel(std::move(client)));
    else
      running.emplace(Channel(std::move(client)), options_, token_, stop);
  }
  if (running) running->end();
  return AgentEnd::Stopped;
}

}  // namespace overlane::agent
