#include "dataplane/kernel/agent/agent.h"

#include <mutex>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataplane/kernel/agent/client.h"

namespace overlane::agent {

namespace agent_test {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const IpAddress kLoopback = IpAddress::parse("127.0.0.1").value();

Token token(const std::string& secret = "a secret of more than sixteen bytes") {
  return *Token::of(secret);
}

/// An agent on the loopback device with HostNetwork::AsIs, which requires no root.
class AsIsAgent : public ::testing::Test {
 protected:
  void start(bool is_once = false, milliseconds longest_silence = milliseconds(10'000)) {
    auto started = Agent::start({.listen = {.host = "127.0.0.1", .port = 0},
                                 .network = HostNetwork::AsIs,
                                 .uplink = "lo",
                                 .longest_silence = longest_silence,
                                 .is_once = is_once,
                                 .log =
                                     [this](const std::string& line) {
                                       const std::scoped_lock lock(mutex_);
                                       log_.push_back(line);
                                     }},
                                token());
    ASSERT_TRUE(started) << started.error();
    endpoint_.port = started->port();
    thread_ =
        std::jthread([this, agent = *std::move(started)]() mutable { end_ = agent.serve(stop_); });
  }
  void TearDown() override { stop_ = true; }

  Answered<Client> client(const Token& known = token()) {
    return Client::connect(endpoint_, known, nullptr);
  }
  /// A connection on which the test can send any line.
  Channel raw() { return *connect_to(endpoint_, milliseconds(1000), nullptr); }
  static std::string said(Channel& channel) {
    const auto line = channel.read(kMaxAnswerBytes, milliseconds(8000), nullptr);
    return line ? *line : line.error();
  }
  std::vector<std::string> log() {
    const std::scoped_lock lock(mutex_);
    return log_;
  }
  /// Waits until the agent accepts another client.
  bool is_free_soon() {
    for (int i = 0; i < 100; ++i) {
      if (client()) return true;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return false;
  }

  std::atomic<bool> stop_{false};
  Endpoint endpoint_{.host = "127.0.0.1", .port = 0};
  AgentEnd end_ = AgentEnd::Stopped;
  std::mutex mutex_;
  std::vector<std::string> log_;
  std::jthread thread_;  ///< The last member: it uses the others.
};

/// Accepts the first client of a listener.
Channel accepted(const kernel::OwnedFd& listener) {
  pollfd ready{.fd = listener.get(), .events = POLLIN, .revents = 0};
  poll(&ready, 1, 5000);
  return Channel(kernel::OwnedFd(accept(listener.get(), nullptr, nullptr)));
}

/// A short flow from the agent to itself.
Prepare loopback_flow(kernel::FlowLoad load) {
  return {.variant = 0,
          .flows = {{.load = load, .client = kLoopback, .server = kLoopback, .port = 15201}}};
}
constexpr agent::CarryFlows kShort{.warm_up = milliseconds(20), .counted = milliseconds(100)};

TEST_F(AsIsAgent, CarriesAFlowOfAnAuthenticatedClient) {
  start(true);
  auto connected = client();
  ASSERT_TRUE(connected) << connected.error().message;
  const auto facts = connected->ask<HostFacts>(AskFacts{});
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->network, HostNetwork::AsIs);
  EXPECT_EQ(facts->ipv4, kLoopback);
  EXPECT_EQ(facts->uplink, "lo");
  EXPECT_GE(facts->mtu, 1280u);
  ASSERT_TRUE(connected->ask<Done>(SetUpVariant{.number = 0, .peer = kLoopback}));
  for (const auto& load : {kernel::FlowLoad{.kind = kernel::FlowKind::Stream},
                           kernel::FlowLoad{.kind = kernel::FlowKind::Requests}}) {
    const auto prepared = connected->ask<Done>(loopback_flow(load));
    ASSERT_TRUE(prepared) << prepared.error().message;
    ASSERT_TRUE(connected->ask<Done>(kShort));
    const auto figures = connected->ask<Figures>(Finish{});
    ASSERT_TRUE(figures) << figures.error().message;
    ASSERT_EQ(figures->carried.flows.size(), 1u);
    EXPECT_EQ(figures->carried.flows[0].failure, "");
    EXPECT_GT(figures->carried.flows[0].received_bytes, 0);
    EXPECT_GE(figures->carried.flows[0].counted, kShort.counted);
  }
  EXPECT_TRUE(connected->ask<Done>(agent::RemoveAll{}));
  thread_.join();
  EXPECT_EQ(end_, AgentEnd::Measured);
}

TEST_F(AsIsAgent, RefusesAWrongTokenLateAndServesOn) {
  start();
  const auto before = std::chrono::steady_clock::now();
  const auto refused = client(token("another secret of many bytes"));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().is_lost);
  EXPECT_EQ(refused.error().message,
            "agent " + endpoint_.to_string() + ": it refuses: wrong token");
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
  EXPECT_THAT(log(), Contains(HasSubstr("refused: wrong token")));
  EXPECT_TRUE(is_free_soon());
}

TEST_F(AsIsAgent, RefusesEverythingBeforeTheClientIsAuthenticated) {
  start();
  for (const std::string& first :
       {encode(Request(AskFacts{})), encode(Request(Prepare{})),
        encode(Request(agent::RemoveAll{})), std::string("GET / HTTP/1.1"), std::string("{"),
        std::string(kMaxFirstBytes + 1, 'x')}) {
    Channel channel = raw();
    EXPECT_THAT(said(channel), HasSubstr("\"type\":\"hello\",\"protocol\":2"));
    ASSERT_TRUE(channel.write(first, milliseconds(1000), nullptr));
    EXPECT_THAT(said(channel), HasSubstr("\"type\":\"refused\"")) << first;
    EXPECT_THAT(said(channel), HasSubstr("the connection ended"));
    std::this_thread::sleep_for(milliseconds(150));
  }
  EXPECT_TRUE(is_free_soon());
}

TEST_F(AsIsAgent, AReplayedProofIsRefused) {
  start();
  Authenticate recorded;
  const auto answer_to_recorded = [&](bool is_recording) {
    Channel channel = raw();
    const auto hello = decode_answer(said(channel));
    if (!hello || !std::holds_alternative<Hello>(*hello)) return std::string("no hello");
    if (is_recording)
      recorded.proof = token().proof(Role::Client, {std::get<Hello>(*hello).nonce, recorded.nonce});
    static_cast<void>(channel.write(encode(Request(recorded)), milliseconds(1000), nullptr));
    return said(channel);
  };
  EXPECT_THAT(answer_to_recorded(true), HasSubstr("\"type\":\"welcome\""));
  ASSERT_TRUE(is_free_soon());
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_THAT(answer_to_recorded(false), HasSubstr("wrong token"));
}

TEST_F(AsIsAgent, RequestsOutOfTheirOrderEndTheConnection) {
  start();
  const std::vector<std::pair<std::vector<Request>, const char*>> cases = {
      {{SetUpVariant{}}, "a variant before the facts"},
      {{Prepare{}}, "flows before the facts"},
      {{agent::CarryFlows{milliseconds(1), milliseconds(1)}}, "no flows are prepared"},
      {{Finish{}}, "no flows are under way"},
      {{Authenticate{}}, "authenticated already"},
      {{AskFacts{}, AskFacts{}}, "the facts were told already"},
      {{AskFacts{}, Prepare{}}, "variant 0 is not set up"}};
  for (const auto& [requests, why] : cases) {
    auto connected = client();
    for (int i = 0; i < 100 && !connected; ++i) {
      std::this_thread::sleep_for(milliseconds(20));
      connected = client();
    }
    ASSERT_TRUE(connected) << connected.error().message;
    std::string last;
    for (const Request& request : requests) {
      const auto answer = connected->ask<HostFacts>(request);
      last = answer ? "" : answer.error().message;
    }
    EXPECT_THAT(last, HasSubstr(std::string("it refuses: ") + why));
  }
}

TEST_F(AsIsAgent, SendsNothingToOthersThanThePeer) {
  start();
  auto connected = client();
  ASSERT_TRUE(connected && connected->ask<HostFacts>(AskFacts{}));
  ASSERT_TRUE(connected->ask<Done>(SetUpVariant{.number = 0, .peer = kLoopback}));
  Prepare to_another = loopback_flow({.kind = kernel::FlowKind::Stream});
  to_another.flows[0].here = kernel::FlowEnds::Client;
  to_another.flows[0].server = IpAddress::parse("192.0.2.7").value();
  const auto refused = connected->ask<Done>(to_another);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("192.0.2.7 is no address of the variant"));
}

TEST_F(AsIsAgent, MakesNoPodsOverTheNetworkAsItIs) {
  start();
  auto connected = client();
  ASSERT_TRUE(connected && connected->ask<HostFacts>(AskFacts{}));
  const auto failed = connected->ask<Done>(
      SetUpVariant{.number = 0,
                   .peer = kLoopback,
                   .pods = PodNetwork{.own_range = *IpPrefix::parse("198.18.0.0/24"),
                                      .peer_range = *IpPrefix::parse("198.19.0.0/24")}});
  ASSERT_FALSE(failed);
  EXPECT_FALSE(failed.error().is_lost) << "it goes on";
  EXPECT_THAT(failed.error().message, HasSubstr("--network as-is"));
}

TEST_F(AsIsAgent, ASecondClientHearsThatItHasToWait) {
  start();
  auto first = client();
  ASSERT_TRUE(first);
  const auto second = client();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("it measures for another client"));
  EXPECT_TRUE(first->ask<HostFacts>(AskFacts{})) << "the first is not disturbed";
}

TEST_F(AsIsAgent, AClientThatDisappearsInASliceEndsIt) {
  start(true);
  {
    auto connected = client();
    ASSERT_TRUE(connected && connected->ask<HostFacts>(AskFacts{}));
    ASSERT_TRUE(connected->ask<Done>(SetUpVariant{.number = 0, .peer = kLoopback}));
    ASSERT_TRUE(connected->ask<Done>(loopback_flow({.kind = kernel::FlowKind::Stream})));
    ASSERT_TRUE(connected->send(agent::CarryFlows{milliseconds(20), milliseconds(60'000)}));
    std::this_thread::sleep_for(milliseconds(100));
  }
  const auto begin = std::chrono::steady_clock::now();
  thread_.join();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(end_, AgentEnd::Lost);
  EXPECT_THAT(log(), Contains(HasSubstr("is gone; what was made for it is removed")));
}

TEST_F(AsIsAgent, ASilentClientIsGivenUp) {
  start(true, milliseconds(200));
  const auto connected = client();
  ASSERT_TRUE(connected);
  thread_.join();
  EXPECT_EQ(end_, AgentEnd::Lost);
  EXPECT_THAT(log(), Contains(HasSubstr("no answer for 0.2 s")));
}

TEST_F(AsIsAgent, AnAgentThatIsStoppedEndsTheConnection) {
  start();
  auto connected = client();
  ASSERT_TRUE(connected);
  stop_ = true;
  thread_.join();
  const auto gone = connected->ask<HostFacts>(AskFacts{});
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().is_lost);
  EXPECT_THAT(gone.error().message, HasSubstr("the connection ended"));
}

TEST(Client, AnAgentWithoutTheTokenIsNotTrusted) {
  auto listener = listen_at({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(listener) << listener.error();
  const Endpoint endpoint{.host = "127.0.0.1", .port = *port_of(*listener)};
  const std::jthread impostor([&] {
    Channel channel = accepted(*listener);
    static_cast<void>(channel.write(encode(Answer(Hello{})), milliseconds(1000), nullptr));
    static_cast<void>(channel.read(kMaxFirstBytes, milliseconds(5000), nullptr));
    static_cast<void>(channel.write(encode(Answer(Welcome{})), milliseconds(1000), nullptr));
  });
  const auto connected = Client::connect(endpoint, token(), nullptr);
  ASSERT_FALSE(connected);
  EXPECT_THAT(connected.error().message, HasSubstr("it does not know the token"));
}

TEST(Client, AnotherProtocolIsNamed) {
  auto listener = listen_at({.host = "127.0.0.1", .port = 0});
  ASSERT_TRUE(listener) << listener.error();
  const Endpoint endpoint{.host = "127.0.0.1", .port = *port_of(*listener)};
  const std::jthread other([&] {
    Channel channel = accepted(*listener);
    static_cast<void>(
        channel.write(R"({"type":"hello","protocol":7})", milliseconds(1000), nullptr));
  });
  const auto connected = Client::connect(endpoint, token(), nullptr);
  ASSERT_FALSE(connected);
  EXPECT_THAT(connected.error().message, HasSubstr("it speaks version 7 of the protocol"));
}

TEST(Endpoint, IsReadAndWritten) {
  for (const char* text : {"192.0.2.1:7411", "[2001:db8::1]:7411", "node-1.example:1"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint) << endpoint.error();
    EXPECT_EQ(endpoint->to_string(), text);
  }
  for (const char* text : {"", "host", ":7411", "host:", "host:x", "host:65536", "host:-1",
                           "2001:db8::1:7411", "[]:1", "[::1:1"})
    EXPECT_FALSE(Endpoint::parse(text)) << text;
}

TEST(Agent, AnAddressThatIsNotToBeHadIsNamed) {
  const auto started = Agent::start(
      {.listen = {.host = "192.0.2.1", .port = 7411}, .network = HostNetwork::AsIs}, token());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error(), "192.0.2.1:7411: Cannot assign requested address");
}

}  // namespace agent_test

}  // namespace overlane::agent
