#include <gtest/gtest.h>

#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/testing/walk.h"
#include "dataplane/node/state/world.h"

namespace overlane::forward {
namespace fragments_test {

using node::testing::ip;
using node::testing::pod;
using testing::udp;

/// A node that tracks connections and masquerades its pods.
struct Node {
  node::NodeState state = node::testing::make_cluster({}).nodes[0];
  node::NodeRuntime runtime;
  Outcome outcome;

  Node() {
    node::PacketFilter filter;
    filter.tracking = node::Tracking::Translated;
    filter.masqueraded_sources = {node::testing::net("100.96.0.0/16")};
    filter.random_fully = false;
    state.filter = std::make_shared<const node::PacketFilter>(filter);
  }

  /// Sends the first `fragments` fragments of a packet of 1,000 bytes with that identification.
  void send(Ingress ingress, Packet packet, std::uint32_t identification, int fragments) {
    packet.inner.identification = identification;
    fragment(packet, 420, [&](const Packet& fragment) {
      if (fragments-- > 0) forward(state, runtime, fragment, ingress, {}, outcome);
    });
  }

  /// Returns the ICMP errors to the sender after the reassembly has timed out.
  std::vector<Emission> after_a_minute() {
    std::vector<Emission> answers;
    for (const auto& lost : runtime.reassembly.expire(seconds(60))) {
      time_out(state, runtime, lost, seconds(60), outcome);
      answers.insert(answers.end(), outcome.emissions.begin(), outcome.emissions.end());
    }
    return answers;
  }
};

const Packet kOut = udp(pod(0), ip("8.8.8.8"), 1000);
const Packet kToNode = udp(ip("8.8.8.8"), ip("10.250.0.4"), 1000);

TEST(Fragments, OfOnePacketAreOneConnectionWhoseAnswersComeAsFragmentsToo) {
  Node node;
  node.send(Ingress::Pod, kOut, 1, 2);
  EXPECT_TRUE(node.outcome.held);
  EXPECT_EQ(node.runtime.connections.size(), 0u);
  node.send(Ingress::Pod, kOut, 2, 3);
  ASSERT_EQ(node.outcome.emissions.size(), 3u);
  EXPECT_EQ(node.outcome.completed.size(), 1u);
  EXPECT_EQ(node.runtime.connections.size(), 1u);
  Packet answer = kToNode;
  std::swap(answer.source_port, answer.destination_port);
  node.send(Ingress::Uplink, answer, 3, 3);
  ASSERT_EQ(node.outcome.emissions.size(), 3u);
  for (const Emission& emission : node.outcome.emissions)
    EXPECT_EQ(emission.packet.inner.destination, pod(0));
}

TEST(Fragments, AreToldToCarryOnAsTheyCame) {
  Node node;
  node.send(Ingress::Pod, kOut, 1, 2);
  std::vector<Step> steps;
  Packet last = fragment_of(kOut, 800, 180);
  last.inner.identification = 1;
  forward(node.state, node.runtime, last, Ingress::Pod, {}, node.outcome, &steps);
  const auto at = std::ranges::find(steps, "fragment", &Step::decision);
  ASSERT_NE(at, steps.end());
  EXPECT_NE(at->because.find("goes on in the 3 fragments that it came in"), std::string::npos);
}

TEST(Fragments, ThatTimeOutAreAnsweredAsOftenAsAnyErrorIs) {
  Node node;
  for (std::uint32_t identification = 1; identification <= 20; ++identification)
    node.send(Ingress::Uplink, kToNode, identification, 1);
  const std::vector<Emission> answers = node.after_a_minute();
  ASSERT_EQ(answers.size(), static_cast<std::size_t>(node::kIcmpBurst));
  EXPECT_EQ(answers[0].packet.icmp->type, 11);
  EXPECT_EQ(answers[0].packet.icmp->code, 1);
  EXPECT_TRUE(answers[0].is_reply);
}

TEST(Fragments, ThatTimeOutAreNotAnsweredWhenTheirDeviceIsGone) {
  Node node;
  node.send(Ingress::Uplink, kToNode, 1, 1);
  node::NodeEditor(node.state).remove_device("eth0");
  EXPECT_TRUE(node.after_a_minute().empty());
}

}  // namespace fragments_test
}  // namespace overlane::forward
