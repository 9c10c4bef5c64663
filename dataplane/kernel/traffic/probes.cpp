#include "dataplane/kernel/traffic/probes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/traffic/socket_address.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kProbePort = 7412;
/// Time after the last probe in which answers are still received.
constexpr milliseconds kLastWait{500};
/// Losses in a row that make a gap. A single one may be the work of a busy machine.
constexpr std::size_t kLostInARow = 2;

/// What a probe contains, in the byte order of this machine.
struct Message {
  std::uint32_t path = 0;
  std::uint32_t round = 0;
  std::uint32_t is_answer = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(Message) == kProbeBytes);

Parsed<OwnedFd> open_end(const ProbeEnd& end) {
  const Inside inside(*end.place);
  OwnedFd fd(socket(family_of(end.address), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const SocketAddress address(end.address, kProbePort);
  if (!fd.is_open() || bind(fd.get(), address.get(), address.length) != 0)
    return fail(system_error("probes at " + end.address.to_string()));
  constexpr int kBuffer = 4 << 20;
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
  // DF, whatever path MTU the kernel has learned.
  if (end.address.is_ipv4()) {
    const int probe = IP_PMTUDISC_PROBE;
    setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof probe);
  } else {
    const int probe = IPV6_PMTUDISC_PROBE;
    setsockopt(fd.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe, sizeof probe);
  }
  return fd;
}

}  // namespace

struct Probes::State {
  std::vector<OwnedFd> sockets;          ///< By end.
  std::vector<SocketAddress> addresses;  ///< By end.
  std::vector<ProbePath> paths;
  milliseconds interval{};
  std::vector<Clock::time_point> rounds;  ///< When each round was sent. Of the sending thread.
  /// By path, then by round: whether the probe arrived. Of the receiving thread.
  std::vector<std::vector<bool>> arrived;
  std::atomic<bool> stops_sending{false}, stops_receiving{false};
  std::jthread sends, receives;

  ~State() { end(); }

  void end() {
    stops_sending = true;
    if (sends.joinable()) sends.join();
    stops_receiving = true;
    if (receives.joinable()) receives.join();
  }

  void send_rounds() {
    std::vector<std::uint8_t> payload(65'507);
    for (auto due = Clock::now(); !stops_sending;) {
      std::this_thread::sleep_until(due);
      const auto round = static_cast<std::uint32_t>(rounds.size());
      rounds.push_back(Clock::now());
      for (std::uint32_t path = 0; path < paths.size(); ++path)
        send(payload, {.path = path, .round = round});
      due = std::max(due + interval, Clock::now());
    }
  }
  void send(std::vector<std::uint8_t>& payload, const Message& message) const {
    const ProbePath& path = paths[message.path];
    std::memcpy(payload.data(), &message, sizeof message);
    const SocketAddress& to = addresses[path.to];
    // A refusal of the kernel, such as a missing route, is a loss like any other.
    static_cast<void>(sendto(sockets[path.from].get(), payload.data(), path.payload_bytes, 0,
                             to.get(), to.length));
  }

  void receive() {
    std::vector<pollfd> waits;
    for (const OwnedFd& socket : sockets)
      waits.push_back({socket.get(), POLLIN, 0});
    while (!stops_receiving) {
      if (poll(waits.data(), waits.size(), 20) <= 0) continue;
      for (const pollfd& one : waits)
        if ((one.revents & POLLIN) != 0) receive_all(one.fd);
    }
  }
  void receive_all(int fd) {
    Message message;
    sockaddr_storage from{};
    for (socklen_t length = sizeof from;
         recvfrom(fd, &message, sizeof message, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from),
                  &length) == static_cast<ssize_t>(sizeof message);
         length = sizeof from) {
      if (message.path >= paths.size()) continue;
      if (paths[message.path].is_answered && message.is_answer == 0) {
        message.is_answer = 1;
        static_cast<void>(sendto(fd, &message, sizeof message, MSG_DONTWAIT,
                                 reinterpret_cast<const sockaddr*>(&from), length));
        continue;
      }
      std::vector<bool>& of_path = arrived[message.path];
      if (message.round >= of_path.size()) of_path.resize(message.round + 1);
      of_path[message.round] = true;
    }
  }

  std::vector<ProbeGap> gaps_of(std::size_t path) const {
    std::vector<bool> all = arrived[path];
    all.resize(rounds.size());
    std::vector<ProbeGap> gaps;
    for (std::size_t begin = 0; begin < all.size(); ++begin) {
      if (all[begin]) continue;
      std::size_t end = begin;
      while (end < all.size() && !all[end])
        ++end;
      if (end - begin >= kLostInARow)
        gaps.push_back(
            {rounds[begin], end < rounds.size() ? std::optional(rounds[end]) : std::nullopt});
      begin = end;
    }
    return gaps;
  }
};

Probes::Probes(std::unique_ptr<State> state) : state_(std::move(state)) {}
Probes::Probes(Probes&&) noexcept = default;
Probes::~Probes() = default;

Parsed<Probes> Probes::start(const std::vector<ProbeEnd>& ends, std::vector<ProbePath> paths,
                             std::chrono::milliseconds interval) {
  auto state = std::make_unique<State>();
  for (const ProbeEnd& end : ends) {
    auto opened = open_end(end);
    if (!opened) return fail(opened.error());
    state->sockets.push_back(*std::move(opened));
    state->addresses.emplace_back(end.address, kProbePort);
  }
  state->arrived.resize(paths.size());
  state->paths = std::move(paths);
  state->interval = interval;
  State& running = *state;
  running.receives = std::jthread([&running] { running.receive(); });
  running.sends = std::jthread([&running] { running.send_rounds(); });
  return Probes(std::move(state));
}

std::vector<std::vector<ProbeGap>> Probes::finish() {
  state_->stops_sending = true;
  state_->sends.join();
  std::this_thread::sleep_for(kLastWait);
  state_->end();
  std::vector<std::vector<ProbeGap>> gaps;
  for (std::size_t path = 0; path < state_->paths.size(); ++path)
    gaps.push_back(state_->gaps_of(path));
  return gaps;
}

}  // namespace overlane::kernel
