#include "dataplane/kernel/agent/client.h"

#include <fmt/format.h>

namespace overlane::agent {
namespace {

constexpr std::chrono::seconds kConnectPatience{5};

}  // namespace

ClientFailure Client::lost(const std::string& why) const {
  return {.message = fmt::format("agent {}: {}", name_, why), .is_lost = true};
}

Answered<Client> Client::connect(const Endpoint& endpoint, const Token& token, IsOver is_over) {
  const std::string name = endpoint.to_string();
  auto channel = connect_to(endpoint, kConnectPatience, is_over);
  if (!channel)
    return fail(ClientFailure{fmt::format("agent {}: {}", name, channel.error()), true});
  Client client(name, *std::move(channel), std::move(is_over));
  if (auto done = client.authenticate(token); !done) return fail(done.error());
  return client;
}

Answered<void> Client::authenticate(const Token& token) {
  const auto hello = receive<Hello>();
  if (!hello) return fail(hello.error());
  if (hello->protocol != kProtocol)
    return fail(
        lost(fmt::format("it speaks version {} of the protocol, this program version {}; "
                         "install the same overlane on both",
                         hello->protocol, kProtocol)));
  const auto nonce = make_nonce();
  if (!nonce) return fail(lost(nonce.error()));
  const Challenge challenge{.agent_nonce = hello->nonce, .client_nonce = *nonce};
  const auto welcome =
      ask<Welcome>(Authenticate{.nonce = *nonce, .proof = token.proof(Role::Client, challenge)});
  if (!welcome) return fail(welcome.error());
  if (!token.accepts(welcome->proof, Role::Agent, challenge))
    return fail(lost("it does not know the token"));
  return {};
}

Answered<void> Client::send(const Request& request) {
  auto done = channel_.write(encode(request), kAnswerPatience, is_over_);
  if (done) return {};
  return fail(lost(done.error()));
}

Answered<Answer> Client::receive_any(std::chrono::milliseconds patience) {
  const auto line = channel_.read(kMaxAnswerBytes, patience, is_over_);
  if (!line) return fail(lost(line.error()));
  auto answer = decode_answer(*line);
  if (!answer) return fail(lost("its answer is not understood: " + answer.error()));
  if (const auto* refused = std::get_if<Refused>(&*answer))
    return fail(lost("it refuses: " + refused->reason));
  if (const auto* failed = std::get_if<Failed>(&*answer))
    return fail(ClientFailure{fmt::format("agent {}: {}", name_, failed->reason)});
  return *std::move(answer);
}

}  // namespace overlane::agent
