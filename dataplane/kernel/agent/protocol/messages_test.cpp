#include "dataplane/kernel/agent/protocol/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace overlane::agent {
namespace messages_test {

using ::testing::HasSubstr;

IpAddress address(const char* text) {
  return IpAddress::parse(text).value();
}

SetUpVariant variant() {
  return {.number = 3,
          .peer = address("192.0.2.2"),
          .offloads = {.segmentation = false},
          .pods = PodNetwork{.encapsulation = Encapsulation::Vxlan,
                             .vni = 0x4f5603,
                             .udp_port = 4789,
                             .mtu = 1450,
                             .is_first = true,
                             .own_range = *IpPrefix::parse("198.18.3.0/24"),
                             .peer_range = *IpPrefix::parse("198.19.3.0/24"),
                             .pods = {address("198.18.3.1"), address("198.18.3.2")}}};
}

AgentFlow requests() {
  return {.load = {.kind = kernel::FlowKind::Requests,
                   .per_second = 12.5,
                   .poisson = true,
                   .over_udp = true,
                   .request_bytes = 64,
                   .response_bytes = 1000,
                   .think_time = std::chrono::nanoseconds(17)},
          .here = kernel::FlowEnds::Server,
          .client = address("198.19.3.1"),
          .server = address("198.18.3.1"),
          .port = 5201,
          .seed = UINT64_MAX};
}
AgentFlow with(kernel::FlowLoad load) {
  AgentFlow flow = requests();
  flow.load = load;
  flow.here = kernel::FlowEnds::Both;
  return flow;
}

TEST(Messages, RequestsAreReadBack) {
  const std::vector<Request> all = {
      Authenticate{.nonce = {1, 2, 3}, .proof = {4, 5}},
      AskFacts{},
      variant(),
      SetUpVariant{.number = 63, .peer = address("2001:db8::2"), .offloads = {}, .pods = {}},
      Prepare{.variant = 3,
              .flows = {requests(),
                        with({.kind = kernel::FlowKind::Stream, .congestion_control = "cubic"}),
                        with({.kind = kernel::FlowKind::Datagrams,
                              .payload_bytes = 65'507,
                              .per_second = 1e9})}},
      CarryFlows{.warm_up = std::chrono::milliseconds(200),
                 .counted = std::chrono::milliseconds(60'000)},
      Finish{},
      RemoveAll{}};
  for (const Request& request : all) {
    const auto read = decode_request(encode(request));
    ASSERT_TRUE(read) << read.error() << '\n' << encode(request);
    EXPECT_EQ(*read, request) << encode(request);
    EXPECT_EQ(encode(request).find('\n'), std::string::npos);
  }
}

TEST(Messages, AnswersAreReadBack) {
  const HostFacts facts{.network = HostNetwork::AsIs,
                        .kernel = "6.1.0",
                        .boot = "b",
                        .processors = 8,
                        .uplink = "eth0",
                        .mtu = 9001,
                        .offloads = {.receive = false},
                        .ipv4 = address("192.0.2.1"),
                        .ipv6 = address("2001:db8::1"),
                        .abilities = {"vxlan"}};
  const auto read = decode_answer(encode(Answer(facts)));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(std::get<HostFacts>(*read), facts);
  EXPECT_TRUE(std::holds_alternative<Done>(*decode_answer(encode(Answer(Done{})))));
  EXPECT_EQ(std::get<Hello>(*decode_answer(encode(Answer(Hello{.nonce = {9}})))).nonce[0], 9);

  kernel::FlowFigures figures{.counted = std::chrono::nanoseconds(500),
                              .received_bytes = 1,
                              .sent_messages = 2,
                              .received_messages = 3};
  for (const std::int64_t value : {5, 700, 700, 90'000})
    figures.latency_ns.record(value);
  const Answer sent = Figures{{.flows = {figures, {.counted = std::chrono::nanoseconds(1)}},
                               .cpu = {.user = 0.25, .idle = 1}}};
  const auto got = decode_answer(encode(sent));
  ASSERT_TRUE(got) << got.error();
  EXPECT_EQ(encode(*got), encode(sent));
  EXPECT_EQ(std::get<Figures>(*got).carried.flows[0].latency_ns, figures.latency_ns);
}

TEST(Messages, WhatAKernelSaysIsMadePrintable) {
  const auto read = decode_answer(encode(Answer(Failed{"a\n\x1b[31mred\xff"})));
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(std::get<Failed>(*read).reason, "a  [31mred\xef\xbf\xbd");
}

TEST(Messages, AnotherVersionIsReadAsFarAsItsNumber) {
  const auto hello = decode_answer(R"({"type":"hello","protocol":3,"more":[]})");
  ASSERT_TRUE(hello) << hello.error();
  EXPECT_EQ(std::get<Hello>(*hello).protocol, 3);
  EXPECT_FALSE(decode_answer(R"({"type":"hello","protocol":2,"more":[]})"));
}

/// The line of a request in which one text is replaced with another.
std::string changed(const Request& request, const std::string& what, const std::string& with) {
  std::string line = encode(request);
  const std::size_t at = line.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in " << line;
  return line.replace(at, what.size(), with);
}
std::string error_of(const std::string& line) {
  const auto read = decode_request(line);
  return read ? "read" : read.error();
}

TEST(Messages, WrongOnesAreRefusedWithTheirPlace) {
  const Request set_up = variant();
  const Request prepare = Prepare{.variant = 0, .flows = {requests()}};
  const Request run = CarryFlows{.warm_up = std::chrono::milliseconds(1),
                                 .counted = std::chrono::milliseconds(500)};
  const std::pair<std::string, const char*> cases[] = {
      {"", "not a JSON document"},
      {"null", "not an object"},
      {"[]", "not an object"},
      {"{}", "type: missing"},
      {R"({"type":1})", "type: not a string"},
      {R"({"type":"execute","command":"sh"})", "of a type that is not known"},
      {R"({"type":"hello","protocol":1})", "of a type that is not known"},
      {R"({"type":"finish","more":1})", "a member that is not known"},
      {changed(set_up, "\"number\":3", "\"number\":64"), "number: not within 0 and 63"},
      {changed(set_up, "\"number\":3", "\"number\":-1"), "number: not within 0 and 63"},
      {changed(set_up, "\"number\":3", "\"number\":1e99"), "number: not a 64-bit integer"},
      {changed(set_up, "192.0.2.2", "192.0.2.2; reboot"), "peer: "},
      {changed(set_up, "192.0.2.2", "2001:db8::2"), "differ in their family"},
      {changed(set_up, "\"vxlan\"", "\"wireguard\""), "pods.encapsulation: not a word"},
      {changed(set_up, "\"vni\":5199363", "\"vni\":16777216"), "pods.vni: not within"},
      {changed(set_up, "\"mtu\":1450", "\"mtu\":67"), "pods.mtu: not within 68 and 65535"},
      {changed(set_up, "\"own_range\":\"198.18.3.0/24\"", "\"own_range\":\"198.18.3.1/24\""),
       "pods.own_range: "},
      {changed(set_up, "198.19.3.0/24", "198.18.0.0/16"), "pods: the two ranges overlap"},
      {changed(set_up, "\"198.18.3.1\"", "\"198.18.4.1\""), "pods: a pod is outside"},
      {changed(set_up, "\"198.18.3.1\"", "\"198.18.3.0\""), "pods: a pod is outside"},
      {changed(set_up, "\"198.18.3.1\"", "\"198.18.3.2\""), "pods: two pods have one address"},
      {changed(prepare, "\"requests\"", "\"shell\""), "flows[0].load.kind: not a word"},
      {changed(prepare, "\"port\":5201", "\"port\":22"), "flows[0].port: not within 1024"},
      {changed(prepare, "\"per_second\":12.5", "\"per_second\":-1"),
       "flows[0].load.per_second: not within"},
      {changed(prepare, "\"response_bytes\":1000", "\"response_bytes\":65508"),
       "flows[0].load.response_bytes: not within 1 and 65507"},
      {changed(prepare, "\"request_bytes\":64", "\"request_bytes\":0"),
       "flows[0].load.request_bytes: not within"},
      {changed(run, "\"counted_ms\":500", "\"counted_ms\":60001"), "counted_ms: not within"},
      {changed(run, "\"counted_ms\":500", "\"counted_ms\":\"500\""), "counted_ms: not a 64-bit"},
  };
  for (const auto& [line, error] : cases)
    EXPECT_THAT(error_of(line), HasSubstr(error)) << line;

  Prepare many{.variant = 0, .flows = std::vector(kMaxFlows + 1, requests())};
  EXPECT_THAT(error_of(encode(Request(many))), HasSubstr("flows: has more than 512 items"));
  many.flows.pop_back();
  EXPECT_EQ(error_of(encode(Request(many))), "read");
  EXPECT_LT(encode(Request(many)).size(), kMaxRequestBytes);
  EXPECT_THAT(error_of(std::string(kMaxRequestBytes, '[')), HasSubstr("not a JSON document"));
  EXPECT_THAT(error_of("{\"type\":\"\xff\"}"), HasSubstr("not a JSON document"));
}

}  // namespace messages_test
}  // namespace overlane::agent
