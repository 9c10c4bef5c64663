#include "dataplane/kernel/routing/bird_mesh.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;
using BirdDone = Result<void, std::string>;

constexpr seconds kSessionTime{30};
constexpr milliseconds kWriteTime{2000};
constexpr milliseconds kLook{10};
/// Metric of BIRD's routes in the kernel (option `metric` of protocol kernel).
constexpr int kBirdMetric = 32;

template <typename Predicate>
bool holds_within(milliseconds time, Predicate holds) {
  for (const auto until = Clock::now() + time; Clock::now() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(kLook);
  }
  return false;
}

std::string text_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::string bird_configuration(const std::vector<BirdNode>& nodes, std::size_t node,
                               const std::set<IpPrefix>& written, seconds restart_time) {
  const BirdNode& own = nodes[node];
  std::string text =
      fmt::format("router id {};\nprotocol device {{ scan time 2; }}\n", own.address.to_string());
  std::vector<std::string> prefixes;
  for (const IpPrefix& prefix : written)
    prefixes.push_back(prefix.to_string());
  text += fmt::format(
      "filter written {{ {}reject; }}\n"
      "protocol kernel {{ persist; scan time 2; graceful restart; metric {};\n"
      "  ipv4 {{ import none; export filter written; }}; }}\n",
      prefixes.empty() ? ""
                       : fmt::format("if proto ~ \"peer*\" && net ~ [ {} ] then accept; ",
                                     fmt::join(prefixes, ", ")),
      kBirdMetric);
  text += fmt::format("protocol static own {{ ipv4; route {} blackhole; }}\n",
                      own.pod_cidr.to_string());
  // BIRD would learn the subnet from the device, whose address has the length of a host here, and
  // the default route from the kernel, if the gateway is in that subnet.
  text += fmt::format("protocol static subnet {{ ipv4; route {} via \"{}\";",
                      own.subnet.to_string(), own.uplink);
  if (own.gateway)
    text +=
        fmt::format(" route 0.0.0.0/0 via {}%'{}' onlink;", own.gateway->to_string(), own.uplink);
  text += fmt::format(
      " }}\ntemplate bgp mesh {{ local as 64512; source address {}; multihop; hold time 240;\n"
      "  graceful restart yes; graceful restart time {}; connect delay time 1; connect retry time "
      "2; error wait time 1, 2;\n"
      "  ipv4 {{ gateway recursive; import all; export where proto = \"own\"; next hop self; }}; "
      "}}\n",
      own.address.to_string(), restart_time.count());
  for (std::size_t peer = 0; peer < nodes.size(); ++peer)
    if (peer != node)
      text += fmt::format("protocol bgp peer{} from mesh {{ neighbor {} as 64512; }}\n", peer,
                          nodes[peer].address.to_string());
  return text;
}

struct BirdMesh::State {
  std::vector<BirdNode> nodes;
  seconds restart_time{};
  TemporaryFolder folder;
  std::vector<std::set<IpPrefix>> written;  ///< By node.
  /// By node: has ended, or must end. Set by end(), and by the thread when the process has ended.
  std::vector<std::atomic<bool>> ended;
  std::vector<std::string> messages;  ///< By node: output of the process, after its end.
  std::vector<std::jthread> threads;  ///< By node: waits for the process, which ends with it.

  State(std::vector<BirdNode> its_nodes, seconds its_restart_time, TemporaryFolder its_folder)
      : nodes(std::move(its_nodes)),
        restart_time(its_restart_time),
        folder(std::move(its_folder)),
        written(nodes.size()),
        ended(nodes.size()),
        messages(nodes.size()) {}
  ~State() {
    for (std::size_t node = 0; node < threads.size(); ++node)
      end(node);
  }

  std::string file(std::size_t node, std::string_view ending) const {
    return (folder.path() / fmt::format("{}.{}", node, ending)).string();
  }
  bool configure(std::size_t node) const {
    std::ofstream stream(file(node, "conf"));
    stream << bird_configuration(nodes, node, written[node], restart_time) << std::flush;
    return static_cast<bool>(stream);
  }

  void start(std::size_t node) {
    threads.emplace_back([this, node] {
      const Inside inside(*nodes[node].place);
      const auto exit = run_program({"bird", "-f", "-c", file(node, "conf"), "-s",
                                     file(node, "ctl"), "-P", file(node, "pid")},
                                    "");
      messages[node] = exit ? exit->output : exit.error();
      ended[node] = true;
    });
  }
  void end(std::size_t node) {
    // The process may not have written its number yet.
    holds_within(seconds(2), [&] {
      pid_t pid = 0;
      const std::string text = text_in(file(node, "pid"));
      std::from_chars(text.data(), text.data() + text.size(), pid);
      if (pid > 0 && !ended[node]) kill(pid, SIGKILL);
      return pid > 0 || ended[node];
    });
    if (threads[node].joinable()) threads[node].join();
  }

  /// Output of the command of BIRD's control program; empty on an error.
  std::string ask(std::size_t node, std::vector<std::string> words) const {
    words.insert(words.begin(), {"birdc", "-s", file(node, "ctl")});
    const auto exit = run_program(words, "");
    return exit && exit->code == 0 ? exit->output : "";
  }
  bool has_all_sessions(std::size_t node) const {
    const std::string text = ask(node, {"show", "protocols"});
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("Established", at)) != std::string::npos; ++at)
      ++count;
    return count + 1 == nodes.size();
  }
  bool has_written_all(std::size_t node) const {
    const Inside inside(*nodes[node].place);
    const auto routes = run_program({"ip", "route", "show", "proto", "bird"}, "");
    return routes && std::ranges::all_of(written[node], [&](const IpPrefix& prefix) {
             const std::string word = prefix.to_string() + ' ';
             for (std::size_t at = 0; (at = routes->output.find(word, at)) != std::string::npos;
                  ++at) {
               const std::string line =
                   routes->output.substr(at, routes->output.find('\n', at) - at);
               if (line.find(fmt::format("metric {}", kBirdMetric)) != std::string::npos)
                 return true;
             }
             return false;
           });
  }
};

BirdMesh::BirdMesh(std::unique_ptr<State> state) : state_(std::move(state)) {}
BirdMesh::BirdMesh(BirdMesh&&) noexcept = default;
BirdMesh::~BirdMesh() = default;

Parsed<BirdMesh> BirdMesh::start(std::vector<BirdNode> nodes, seconds restart_time) {
  auto folder = TemporaryFolder::make();
  if (!folder) return fail(folder.error());
  auto state = std::make_unique<State>(std::move(nodes), restart_time, *std::move(folder));
  for (std::size_t node = 0; node < state->nodes.size(); ++node) {
    if (!state->configure(node)) return fail(state->file(node, "conf") + ": cannot be written");
    state->start(node);
  }
  const bool are_ready = holds_within(kSessionTime, [&] {
    for (std::size_t node = 0; node < state->nodes.size(); ++node)
      if (!state->ended[node] && !state->has_all_sessions(node)) return false;
    return true;
  });
  for (std::size_t node = 0; node < state->nodes.size(); ++node)
    if (state->ended[node]) {
      state->threads[node].join();
      return fail("bird: " + state->messages[node]);
    }
  if (!are_ready) return fail("bird: the BGP sessions are not established in time");
  return BirdMesh(std::move(state));
}

BirdDone BirdMesh::write_routes(std::size_t node, const std::set<IpPrefix>& pod_cidrs) {
  std::set<IpPrefix>& written = state_->written[node];
  if (!runs(node) || std::ranges::includes(written, pod_cidrs)) return {};
  written.insert(pod_cidrs.begin(), pod_cidrs.end());
  if (!state_->configure(node)) return fail("bird: its configuration cannot be written");
  if (state_->ask(node, {"configure"}).find("Reconfigur") == std::string::npos)
    return fail("bird: refuses its configuration");
  if (!holds_within(kWriteTime, [&] { return state_->has_written_all(node); }))
    return fail("bird: has not written its routes in time");
  return {};
}

void BirdMesh::end(std::size_t node) {
  state_->end(node);
}

bool BirdMesh::runs(std::size_t node) const {
  return !state_->ended[node];
}

BirdDone BirdMesh::remove_routes(std::size_t node) {
  const Inside inside(*state_->nodes[node].place);
  const auto done = run_program(
      {"ip", "route", "flush", "proto", "bird", "metric", fmt::to_string(kBirdMetric)}, "");
  if (!done) return fail(done.error());
  return done->code == 0 ? BirdDone() : fail("ip route flush: " + done->output);
}

}  // namespace overlane::kernel
