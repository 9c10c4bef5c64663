#include "dataplane/kernel/traffic/probes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/traffic/socket_address.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// Time after the last probe in which answers are still received.
constexpr milliseconds kLastWait{500};
/// Time in which an answer counts.
constexpr milliseconds kAnswerTime{300};
/// Losses in a row that make a gap. A single one may be the work of a busy machine.
constexpr std::size_t kLostInARow = 2;

/// What a probe contains, in the byte order of this machine.
struct Message {
  std::uint32_t path = 0;
  std::uint32_t round = 0;
  std::array<std::uint32_t, 2> reserved{};
};
static_assert(sizeof(Message) == kProbeBytes);

/// 0.0.0.0 or ::, by the family of `like`. The kernel chooses the source address of packets from a
/// socket that is bound to it.
IpAddress any_address(const IpAddress& like) {
  return *IpAddress::parse(like.is_ipv4() ? "0.0.0.0" : "::");
}

/// Opens a socket in the namespace of the calling thread, bound to an address and a port.
Parsed<OwnedFd> open_socket(const IpAddress& address, std::uint16_t port) {
  OwnedFd fd(socket(family_of(address), SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const SocketAddress bound(address, port);
  if (!fd.is_open() || bind(fd.get(), bound.get(), bound.length) != 0)
    return fail(system_error("probes at " + address.to_string()));
  // DF, whatever path MTU the kernel has learned.
  if (address.is_ipv4()) {
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
  /// A probe with a socket of its own whose answer is not back.
  struct Open {
    OwnedFd socket;
    std::uint32_t path = 0;
    std::uint32_t round = 0;
    Clock::time_point sent;
  };

  std::vector<ProbeEnd> ends;
  std::vector<OwnedFd> sockets;  ///< By end.
  std::vector<ProbePath> paths;
  std::vector<SocketAddress> targets;  ///< By path.
  milliseconds interval{};
  std::vector<Clock::time_point> rounds;  ///< When each round was sent. Of the sending thread.
  std::deque<Open> open;                  ///< By time. Of the sending thread.
  std::vector<std::uint32_t> ports;       ///< By end: ports used so far. Of the sending thread.
  std::optional<Inside> inside;           ///< Belongs to the sending thread, like `entered`.
  const NetworkNamespace* entered = nullptr;
  /// By path, then by round: whether the probe arrived. That of an answered path belongs to the
  /// sending thread, that of another to the receiving thread.
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
      look_for_answers();
      const auto round = static_cast<std::uint32_t>(rounds.size());
      rounds.push_back(Clock::now());
      for (std::uint32_t path = 0; path < paths.size(); ++path)
        if (round % paths[path].every == 0) send(payload, {.path = path, .round = round});
      leave();
      due = std::max(due + interval, Clock::now());
    }
    std::this_thread::sleep_for(kAnswerTime);
    look_for_answers();
  }
  /// Moves the sending thread into a namespace, where it stays until leave(): successive paths
  /// begin at the same end.
  void enter(const NetworkNamespace& place) {
    if (std::exchange(entered, &place) == &place) return;
    inside.reset();
    inside.emplace(place);
  }
  void leave() {
    entered = nullptr;
    inside.reset();
  }
  void send(std::vector<std::uint8_t>& payload, const Message& message) {
    const ProbePath& path = paths[message.path];
    std::memcpy(payload.data(), &message, sizeof message);
    const SocketAddress& to = targets[message.path];
    const OwnedFd* socket = &sockets[path.from];
    if (path.is_answered) {
      const ProbeEnd& from = ends[path.from];
      enter(*from.place);
      auto own = open_socket(any_address(from.address), next_port(path.from));
      // A refusal of the kernel, such as a missing route, is a loss like any other.
      if (!own || connect(own->get(), to.get(), to.length) != 0) return;
      open.push_back({*std::move(own), message.path, message.round, rounds[message.round]});
      socket = &open.back().socket;
    }
    static_cast<void>(
        sendto(socket->get(), payload.data(), path.payload_bytes, 0, to.get(), to.length));
  }
  /// A port that the end has not used for as long as possible, so that the kernel has forgotten its
  /// flows (30 s after the last packet: nf_conntrack_udp_timeout).
  std::uint16_t next_port(std::uint32_t end) {
    constexpr std::uint32_t kFirst = 20'000, kCount = 40'000;
    return static_cast<std::uint16_t>(kFirst + ports[end]++ % kCount);
  }
  void look_for_answers() {
    const auto now = Clock::now();
    std::erase_if(open, [&](const Open& probe) {
      Message message;
      const bool is_back = recv(probe.socket.get(), &message, sizeof message, MSG_DONTWAIT) ==
                           static_cast<ssize_t>(sizeof message);
      if (is_back) note_arrival(probe.path, probe.round);
      return is_back || now - probe.sent > kAnswerTime;
    });
  }
  void note_arrival(std::uint32_t path, std::uint32_t round) {
    std::vector<bool>& of_path = arrived[path];
    if (round >= of_path.size()) of_path.resize(round + 1);
    of_path[round] = true;
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
      if (paths[message.path].is_answered)
        static_cast<void>(sendto(fd, &message, sizeof message, MSG_DONTWAIT,
                                 reinterpret_cast<const sockaddr*>(&from), length));
      else
        note_arrival(message.path, message.round);
    }
  }

  std::vector<ProbeGap> gaps_of(std::size_t path) const {
    const std::size_t every = paths[path].every;
    std::vector<bool> all = arrived[path];
    all.resize(rounds.size());
    std::vector<ProbeGap> gaps;
    std::size_t lost = 0;
    for (std::size_t round = 0; round < all.size(); round += every) {
      if (!all[round] && ++lost == kLostInARow)
        gaps.push_back({rounds[round - (kLostInARow - 1) * every], std::nullopt});
      if (!all[round]) continue;
      if (lost >= kLostInARow) gaps.back().end = rounds[round];
      lost = 0;
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
    const Inside inside(*end.place);
    auto opened = open_socket(end.address, kProbePort);
    if (!opened) return fail(opened.error());
    constexpr int kBuffer = 4 << 20;
    setsockopt(opened->get(), SOL_SOCKET, SO_RCVBUFFORCE, &kBuffer, sizeof kBuffer);
    state->sockets.push_back(*std::move(opened));
  }
  for (const ProbePath& path : paths) {
    const ServiceAddress target =
        path.service.value_or(ServiceAddress{ends[path.to].address, kProbePort});
    state->targets.emplace_back(target.address, target.port);
  }
  state->ends = ends;
  state->ports.resize(ends.size());
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
