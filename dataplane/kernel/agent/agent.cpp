#include "dataplane/kernel/agent/agent.h"

#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/agent/host_dataplane.h"
#include "dataplane/kernel/namespaces/network_namespace.h"

namespace overlane::agent {
namespace {

/// Interval at which a wait for connections checks whether it is over.
constexpr std::chrono::milliseconds kAcceptStep{50};

/// The running session, in a thread of its own: the agent can refuse further clients meanwhile.
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
  /// Waits for the end of the session.
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

Session::Session(Channel channel, const AgentOptions& options, const Token& token,
                 IsOver is_stopped)
    : channel_(std::move(channel)),
      options_(options),
      token_(token),
      is_stopped_(std::move(is_stopped)) {}

SessionEnd Session::run() {
  if (!authenticate()) return SessionEnd::Refused;
  log("measures");
  while (!has_left_) {
    const auto line = channel_.read(kMaxRequestBytes, options_.longest_silence, is_stopped_);
    if (!line) {
      log(line.error());
      break;
    }
    const auto request = decode_request(*line);
    if (!request) {
      refuse(request.error());
      break;
    }
    if (!answer(*request)) break;
  }
  traffic_.reset();
  const auto removed = host_ ? host_->tear_down() : Result<void, std::string>();
  if (has_left_)
    log("is done");
  else
    log("is gone; what was made for it is " + (removed ? "removed" : removed.error()));
  return has_left_ ? SessionEnd::Measured : SessionEnd::Lost;
}

bool Session::authenticate() {
  const auto nonce = make_nonce();
  if (!nonce) {
    refuse(nonce.error());
    return false;
  }
  if (!send(Hello{.nonce = *nonce})) return false;
  const auto line = channel_.read(kMaxFirstBytes, kProofPatience, is_stopped_);
  if (!line) {
    refuse(line.error());
    return false;
  }
  const auto request = decode_request(*line);
  const auto* proof = request ? std::get_if<Authenticate>(&*request) : nullptr;
  if (proof == nullptr) {
    refuse(request ? "the first message does not authenticate" : request.error());
    return false;
  }
  const Challenge challenge{.agent_nonce = *nonce, .client_nonce = proof->nonce};
  if (!token_.accepts(proof->proof, Role::Client, challenge)) {
    const auto until = std::chrono::steady_clock::now() + kRefusalDelay;
    while (std::chrono::steady_clock::now() < until && !is_stopped_())
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    refuse("wrong token");
    return false;
  }
  return send(Welcome{.proof = token_.proof(Role::Agent, challenge)});
}

bool Session::answer(const Request& request) {
  const auto answer = std::visit([this](const auto& one) { return answer_to(one); }, request);
  if (answer) return send(*answer);
  refuse(answer.error());
  return false;
}

Parsed<Answer> Session::answer_to(const Authenticate&) {
  return fail("authenticated already");
}

Parsed<Answer> Session::answer_to(const AskFacts&) {
  if (host_) return fail("the facts were told already");
  const auto address = channel_.own_address();
  if (!address) return Failed{address.error()};
  const auto facts = host_facts(options_.network, options_.uplink, *address);
  if (!facts) return Failed{facts.error()};
  host_.emplace(*facts);
  return *facts;
}

Parsed<Answer> Session::answer_to(const SetUpVariant& variant) {
  if (!host_) return fail("a variant before the facts");
  const auto done = host_->set_up(variant);
  return done ? Answer(agent::Done{}) : Answer(Failed{done.error()});
}

Parsed<Answer> Session::answer_to(const Prepare& prepare) {
  if (!host_) return fail("flows before the facts");
  traffic_.reset();
  has_run_ = false;
  auto flows = host_->flows(prepare);
  if (!flows) return fail(flows.error());
  auto traffic = kernel::Traffic::prepare(*std::move(flows));
  if (!traffic) return Failed{traffic.error()};
  traffic_.emplace(*std::move(traffic));
  return agent::Done{};
}

Parsed<Answer> Session::answer_to(const CarryFlows& carry) {
  if (!traffic_ || has_run_) return fail("no flows are prepared");
  has_run_ = true;
  traffic_->run({.warm_up = carry.warm_up, .counted = carry.counted},
                [this] { return is_stopped_() || channel_.is_closed(); });
  return agent::Done{};
}

Parsed<Answer> Session::answer_to(const Finish&) {
  if (!traffic_ || !has_run_) return fail("no flows are under way");
  Figures figures{.carried = traffic_->finish()};
  traffic_.reset();
  return figures;
}

Parsed<Answer> Session::answer_to(const RemoveAll&) {
  traffic_.reset();
  if (host_)
    if (auto done = host_->tear_down(); !done) return Failed{done.error()};
  has_left_ = true;
  return agent::Done{};
}

bool Session::send(const Answer& answer) {
  const auto done = channel_.write(encode(answer), kWritePatience, is_stopped_);
  if (!done) log(done.error());
  return done.has_value();
}

void Session::refuse(const std::string& reason) {
  log("refused: " + reason);
  static_cast<void>(channel_.write(encode(Answer(Refused{reason})), kWritePatience, nullptr));
}

void Session::log(const std::string& what) const {
  if (options_.log) options_.log(fmt::format("{}: {}", channel_.peer(), what));
}

}  // namespace overlane::agent
