#include "tools/fastpath/testing/live.h"

#include <iostream>
#include <unistd.h>

#include <fmt/format.h>

#include "tools/fastpath/testing/frames.h"

namespace overlane::fastpath {

std::string why_not_live() {
  if (geteuid() != 0) return "network namespaces and taps need root";
  if (access("/dev/net/tun", R_OK | W_OK) != 0) return "there is no /dev/net/tun";
  return "";
}

TestFolder::TestFolder() {
  std::string name = ::testing::TempDir() + "overlane-fastpath-XXXXXX";
  path_ = mkdtemp(name.data());
}

TestFolder::~TestFolder() {
  if (::testing::Test::HasFailure()) {
    std::cerr << "what happened is in " << path_.string() << '\n';
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Live::SetUp() {
  if (const std::string why = why_not_live(); !why.empty()) GTEST_SKIP() << why;
}

void Live::begin(const Layout& layout) {
  ASSERT_NO_FATAL_FAILURE(begin_near(layout));
  ASSERT_NO_FATAL_FAILURE(begin_far(layout));
  start_fast_path(input_of(layout));
}

void Live::begin_near(const Layout& layout) {
  auto made = NearSide::make(layout);
  ASSERT_TRUE(made) << made.error();
  near.emplace(std::move(*made));
  auto echo = Echo::start(near->near_pod);
  ASSERT_TRUE(echo) << echo.error();
  near_echo = std::move(*echo);
}

void Live::begin_far(const Layout& layout) {
  auto made = FarSide::make(layout, *near);
  ASSERT_TRUE(made) << made.error();
  far.emplace(std::move(*made));
  auto echo = Echo::start(far->far_pod);
  ASSERT_TRUE(echo) << echo.error();
  far_echo = std::move(*echo);
}

void Live::start_fast_path(const std::string& input) {
  const std::string ports = "--pods net_tap0,iface=tpods --uplink net_tap1,iface=tup --nodes 2";
  const auto arguments = fmt::format("{} {} {}", input, ports, kDefaultOptions);
  start_fast_path([&] { return Program::start(near->middle, arguments, folder.path()); });
}

void Live::start_fast_path(const std::function<Parsed<Program>()>& start) {
  auto recording = Recorder::start(near->middle, {"pods0", "up0"}, folder.path());
  ASSERT_TRUE(recording) << recording.error();
  recorder = std::move(*recording);
  auto started = start();
  ASSERT_TRUE(started) << started.error();
  fast_path.emplace(std::move(*started));
  ASSERT_TRUE(fast_path->says("forwarding as")) << fast_path->told();
  const auto wired = near->wire();
  ASSERT_TRUE(wired) << wired.error();
}

void Live::expect_learns(const kernel::NetworkNamespace& from, const std::string& to,
                         std::uint32_t before, std::uint32_t mtu) {
  const std::size_t headers = SocketAddress(to, 0).is_ipv6() ? 48 : 28;
  auto datagrams = Datagrams::open(from, to, Df::Set);
  ASSERT_TRUE(datagrams) << datagrams.error();
  ASSERT_EQ(datagrams->mtu(), before);
  EXPECT_EQ(datagrams->send(mtu - headers + 1), "");
  EXPECT_TRUE(comes_true([&] { return datagrams->mtu() == mtu; })) << datagrams->mtu();
  // A new socket, because the first one has a pending error.
  auto fresh = Datagrams::open(from, to, Df::Set);
  ASSERT_TRUE(fresh) << fresh.error();
  EXPECT_EQ(fresh->send(mtu - headers + 1), "Message too long");
  EXPECT_EQ(fresh->exchange(mtu - headers), "");
}

void Live::tell_fast_path(std::span<const std::uint8_t> frame) {
  const auto to_host = [this] { return fast_path->ask_report()["packets"]["to_host"].get<int>(); };
  const int before = to_host();
  const auto uplink = FrameSocket::open(near->middle, "tup");
  ASSERT_TRUE(uplink) << uplink.error();
  ASSERT_TRUE(uplink->send(frame));
  ASSERT_TRUE(comes_true([&] { return to_host() == before + 1; }));
}

nlohmann::json Live::finish(std::size_t queues) {
  EXPECT_EQ(fast_path->stop(), 0) << fast_path->told();
  const nlohmann::json report = fast_path->report();
  if (report.is_null()) {
    ADD_FAILURE() << "no counters were reported";
    return report;
  }
  SCOPED_TRACE(report.dump());
  expect_all_counted(report, queues);
  EXPECT_EQ(recorder->problems(), "");
  EXPECT_GT(recorder->out(kPodWire), 0) << "nothing was recorded";
  EXPECT_GT(recorder->out(kUplinkWire), 0) << "nothing was recorded";
  return report;
}

std::string input_of(const Layout& layout) {
  return fmt::format("{} --variant {}", kShoot, layout.variant);
}

void expect_all_counted(const nlohmann::json& report, std::size_t queues) {
  const auto number = [](const nlohmann::json& from, const char* name) {
    return from.at(name).get<std::int64_t>();
  };
  const auto& packets = report.at("packets");
  const auto& ports = report.at("ports");
  EXPECT_EQ(number(packets, "received"), number(packets, "ahead") + number(packets, "full_path") +
                                             number(packets, "neighbour_messages") +
                                             number(packets, "refused_frames") +
                                             number(packets, "backlog_full"));
  std::int64_t received = 0;
  for (const auto& port : ports)
    received += number(port, "received");
  EXPECT_EQ(number(packets, "received"), received);
  std::int64_t sent = 0;
  for (const auto& port : ports)
    sent += number(port, "sent");
  const std::int64_t to_host = ports.contains("host") ? number(packets, "to_host") : 0;
  EXPECT_EQ(sent, number(packets, "to_pods") + number(packets, "to_uplink") + to_host +
                      number(packets, "neighbour_messages_sent"));
  std::int64_t drops = 0;
  for (const auto& count : report.at("drops"))
    drops += count.get<std::int64_t>();
  EXPECT_EQ(number(packets, "ahead") + number(packets, "full_path") +
                number(packets, "icmp_errors_made") + number(packets, "fragments_made"),
            number(packets, "to_pods") + number(packets, "to_uplink") + number(packets, "to_host") +
                number(packets, "held_fragments") + number(packets, "waiting") +
                number(packets, "fragments_joined") + drops - number(packets, "refused_frames") -
                number(packets, "backlog_full"));
  EXPECT_EQ(number(packets, "waiting"), 0) << "at the end they are given up";
  // The only buffers in use are in the drivers' receive rings.
  EXPECT_EQ(number(report, "buffers_in_use"), ports.size() * queues * 512);
}

}  // namespace overlane::fastpath
