#include <csignal>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "results/base/testing/source_file.h"
#include "tools/fastpath/testing/frames.h"
#include "tools/fastpath/testing/live.h"

namespace overlane::fastpath {
namespace live_change_root_test {

constexpr std::size_t kMtu = 1450;

/// The shoot with the given NetworkConfig.
std::string shoot_with(const std::string& overlay) {
  std::ifstream file(source_file(kShoot));
  std::stringstream text;
  text << file.rdbuf();
  std::string shoot = text.str();
  const std::string before = "    type: calico\n";
  shoot.insert(shoot.find(before) + before.size(),
               "    providerConfig:\n"
               "      apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1\n"
               "      kind: NetworkConfig\n" +
                   overlay);
  return shoot;
}

const std::string kRouted = "      overlay: {enabled: false}\n";
const std::string kVxlan =
    "      overlay: {enabled: true}\n"
    "      vxlan: {enabled: true}\n";

/// A fast path that reads its state from a file, with traffic in both directions.
class LiveChange : public Live {
 protected:
  void begin(const std::string& overlay) {
    write(shoot_with(overlay));
    const Layout layout{overlay == kVxlan ? "vxlan" : "routed", kMtu, kMtu};
    ASSERT_NO_FATAL_FAILURE(begin_near(layout));
    ASSERT_NO_FATAL_FAILURE(begin_far(layout));
    ASSERT_NO_FATAL_FAILURE(start_fast_path(input().string()));
    ASSERT_NO_FATAL_FAILURE(begin_datagrams(near->near_pod, kFarPod));
    ASSERT_NO_FATAL_FAILURE(begin_datagrams(far->far_pod, kNearPod));
    begin_streams(near->near_pod, kFarPod);
    begin_streams(far->far_pod, kNearPod);
    wait_for_rounds();
  }

  void begin_datagrams(const kernel::NetworkNamespace& from, const char* to) {
    auto opened = Datagrams::open(from, to, Df::Clear);
    ASSERT_TRUE(opened) << opened.error();
    auto socket = std::make_shared<Datagrams>(std::move(*opened));
    flows.push_back(std::make_unique<Flow>([socket] {
      static constexpr std::size_t kSizes[] = {1,    64,   300,  700,  1000, 1200, 1421, 1422,
                                               1423, 2000, 3000, 4400, 8,    16,   32,   128};
      return socket->exchange_together(kSizes);
    }));
  }
  void begin_streams(const kernel::NetworkNamespace& from, const char* to) {
    flows.push_back(std::make_unique<Flow>([&from, to] {
      return exchange_streams(from, to, std::vector<std::size_t>{1, 1410, 1411, 100'000});
    }));
  }

  /// Waits until each flow has completed three more rounds.
  void wait_for_rounds() {
    for (const auto& flow : flows) {
      const std::uint64_t before = flow->rounds();
      EXPECT_TRUE(comes_true([&] { return flow->rounds() >= before + 3; }));
    }
  }

  /// Changes the input file, makes the fast path reload it and waits for the message.
  void change(const std::string& input, const std::string& message) {
    write(input);
    fast_path->signal(SIGHUP);
    EXPECT_TRUE(fast_path->says(message)) << fast_path->told();
    wait_for_rounds();
  }

  /// Ends the flows and the fast path; expects that no packet was lost.
  nlohmann::json end() {
    for (const auto& flow : flows)
      EXPECT_EQ(flow->end(), "");
    const auto report = finish();
    EXPECT_EQ(report["drops"], nlohmann::json::object());
    return report;
  }

  std::filesystem::path input() const { return folder.path() / "shoot.yaml"; }
  void write(const std::string& text) const { std::ofstream(input()) << text << std::flush; }

  std::vector<std::unique_ptr<Flow>> flows;
};

TEST_F(LiveChange, FromRoutedToVxlanLosesNothing) {
  ASSERT_NO_FATAL_FAILURE(begin(kRouted));
  EXPECT_FALSE(is_vxlan(recorder->last_out(kUplinkWire)));
  // The far node accepts both forms at any time, but may send through its tunnel device only after
  // the near node has one.
  change(shoot_with(kVxlan), "forwarding by the new state");
  ASSERT_TRUE(
      ip(far->far_node, {"route replace 100.96.0.0/23 via 100.96.0.1 dev vxlan.calico onlink"}));
  wait_for_rounds();
  EXPECT_TRUE(is_vxlan(recorder->last_out(kUplinkWire)));
  EXPECT_EQ(end()["state_changes"], 1);
}

TEST_F(LiveChange, ReloadingTheSameInputChangesNothing) {
  ASSERT_NO_FATAL_FAILURE(begin(kVxlan));
  for (int times = 1; times <= 5; ++times) {
    fast_path->signal(SIGHUP);
    EXPECT_TRUE(comes_true([&] { return fast_path->ask_report()["state_changes"] == times; }));
  }
  wait_for_rounds();
  EXPECT_EQ(end()["state_changes"], 5);
}

TEST_F(LiveChange, RejectedInputKeepsTheState) {
  ASSERT_NO_FATAL_FAILURE(begin(kVxlan));
  change("kind: Shoot\n  nonsense: [", "the input is refused; forwarding goes on as before");
  change(shoot_with(kVxlan), "forwarding by the new state");
  change(shoot_with(kRouted),
         "MTUs of 1500 to pods and 1500 to the uplink; the ports were opened with 1450 and 1500; "
         "forwarding goes on as before");
  EXPECT_EQ(end()["state_changes"], 1);
}

}  // namespace live_change_root_test
}  // namespace overlane::fastpath
