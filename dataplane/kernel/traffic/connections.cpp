#include "dataplane/kernel/traffic/connections.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/traffic/socket_address.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kConnectionPort = 7413;
constexpr milliseconds kConnectTime{3000};
/// Bytes of a request and of its response.
constexpr std::size_t kBytes = 64;
using Buffer = std::array<char, kBytes>;

Parsed<OwnedFd> open_listener(const ProbeEnd& end, int backlog) {
  const Inside inside(*end.place);
  OwnedFd fd(socket(family_of(end.address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const SocketAddress address(end.address, kConnectionPort);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!fd.is_open() || bind(fd.get(), address.get(), address.length) != 0 ||
      listen(fd.get(), backlog) != 0)
    return fail(system_error("server at " + end.address.to_string()));
  return fd;
}

std::string text_of(int error) {
  return std::generic_category().message(error);
}

}  // namespace

struct Connections::State {
  /// The client's end of a connection.
  struct Client {
    ConnectionUse use{};
    OwnedFd fd;
    std::optional<Clock::time_point> asked;  ///< When the open request was sent.
    Clock::time_point next;                  ///< When the next request is due.
    std::size_t received = 0;                ///< Bytes of the response.
    ConnectionOutcome outcome;

    bool is_open() const { return fd.is_open(); }
  };

  std::vector<OwnedFd> listeners;  ///< By end; closed where no server is.
  std::vector<OwnedFd> servers;    ///< Accepted connections.
  std::vector<Client> clients;
  milliseconds interval{};
  std::atomic<bool> ends{false};  ///< No more requests, except of idle connections.
  std::atomic<std::int64_t> until_ns{INT64_MAX};
  std::jthread thread;

  ~State() {
    ends = true;
    until_ns = 0;
    if (thread.joinable()) thread.join();
  }

  static std::int64_t now_ns() { return Clock::now().time_since_epoch().count(); }

  void close(Client& client, std::string why) {
    client.outcome.failure = std::move(why);
    client.fd = {};
  }

  void ask(Client& client) {
    const Buffer request{};
    const ssize_t sent = send(client.fd.get(), request.data(), kBytes, MSG_NOSIGNAL);
    if (sent < 0) return close(client, text_of(errno));
    client.asked = Clock::now();
    client.received = 0;
    client.outcome.is_answered = false;
  }

  void read(Client& client) {
    Buffer response;
    const ssize_t got = recv(client.fd.get(), response.data(), kBytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) return close(client, got == 0 ? "the server closed it" : text_of(errno));
    client.received += static_cast<std::size_t>(got);
    if (client.received < kBytes || !client.asked) return;
    note_wait(client);
    client.outcome.is_answered = true;
    client.next = std::max(*client.asked + interval, Clock::now());
    client.asked.reset();
  }
  static void note_wait(Client& client) {
    const nanoseconds wait = Clock::now() - *client.asked;
    client.outcome.longest_wait = std::max(client.outcome.longest_wait, wait);
  }

  /// Sends back what has arrived. False if the connection has ended.
  static bool answer(int fd) {
    Buffer bytes;
    const ssize_t got = recv(fd, bytes.data(), kBytes, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    return got > 0 && send(fd, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
  }

  void accept_all(int listener) {
    for (int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); fd >= 0;
         fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) {
      set_no_delay(fd);
      servers.emplace_back(fd);
    }
  }

  void run() {
    bool has_asked_idle = false;
    while (now_ns() < until_ns) {
      if (ends && !has_asked_idle) {
        has_asked_idle = true;
        for (Client& client : clients)
          if (client.is_open() && client.use == ConnectionUse::Idle) ask(client);
      }
      for (Client& client : clients)
        if (!ends && client.is_open() && client.use == ConnectionUse::Requests && !client.asked &&
            client.next <= Clock::now())
          ask(client);
      const bool is_done = ends && std::ranges::none_of(clients, [](const Client& client) {
                             return client.is_open() && client.asked;
                           });
      if (is_done) break;
      wait();
    }
    for (Client& client : clients)
      if (client.asked) note_wait(client);
  }

  /// Handles what arrives within a few milliseconds.
  void wait() {
    std::vector<pollfd> waits;
    for (const OwnedFd& listener : listeners)
      waits.push_back({listener.get(), POLLIN, 0});
    const std::size_t first_server = waits.size();
    for (const OwnedFd& server : servers)
      waits.push_back({server.get(), POLLIN, 0});
    const std::size_t first_client = waits.size();
    for (const Client& client : clients)
      waits.push_back({client.fd.get(), POLLIN, 0});
    if (poll(waits.data(), waits.size(), 5) <= 0) return;
    const auto is_ready = [&](std::size_t at) { return waits[at].revents != 0; };
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (is_ready(first_client + i)) read(clients[i]);
    for (std::size_t i = 0; i < first_client - first_server; ++i)
      if (is_ready(first_server + i) && !answer(servers[i].get())) servers[i] = {};
    for (std::size_t i = 0; i < first_server; ++i)
      if (is_ready(i)) accept_all(listeners[i].get());
  }

  /// Begins to connect a client.
  void connect(Client& client, const ProbeEnd& from, const ProbeEnd& to) {
    const Inside inside(*from.place);
    client.fd =
        OwnedFd(socket(family_of(from.address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const SocketAddress own(from.address, 0), server(to.address, kConnectionPort);
    if (!client.is_open() || bind(client.fd.get(), own.get(), own.length) != 0 ||
        (::connect(client.fd.get(), server.get(), server.length) != 0 && errno != EINPROGRESS))
      return close(client, text_of(errno));
    set_no_delay(client.fd.get());
  }
  void await_connection(Client& client, Clock::time_point until) {
    if (!client.is_open()) return;
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
    pollfd wait{client.fd.get(), POLLOUT, 0};
    if (poll(&wait, 1, static_cast<int>(std::max(left, milliseconds(0)).count())) <= 0)
      return close(client, "not connected in time");
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(client.fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
    if (error != 0) close(client, text_of(error));
  }
};

Connections::Connections(std::unique_ptr<State> state) : state_(std::move(state)) {}
Connections::Connections(Connections&&) noexcept = default;
Connections::~Connections() = default;

Parsed<Connections> Connections::start(const std::vector<ProbeEnd>& ends,
                                       std::vector<ProbeConnection> connections,
                                       std::chrono::milliseconds interval) {
  auto state = std::make_unique<State>();
  state->interval = interval;
  for (const ProbeEnd& end : ends) {
    auto listener = open_listener(end, static_cast<int>(connections.size()) + 1);
    if (!listener) return fail(listener.error());
    state->listeners.push_back(*std::move(listener));
  }
  for (const ProbeConnection& one : connections) {
    State::Client& client = state->clients.emplace_back();
    client.use = one.use;
    state->connect(client, ends[one.client], ends[one.server]);
  }
  const auto until = Clock::now() + kConnectTime;
  for (State::Client& client : state->clients)
    state->await_connection(client, until);
  State& running = *state;
  running.thread = std::jthread([&running] { running.run(); });
  return Connections(std::move(state));
}

std::vector<ConnectionOutcome> Connections::finish(milliseconds patience) {
  state_->until_ns = State::now_ns() + nanoseconds(patience).count();
  state_->ends = true;
  state_->thread.join();
  std::vector<ConnectionOutcome> outcomes;
  for (const State::Client& client : state_->clients)
    outcomes.push_back(client.outcome);
  return outcomes;
}

}  // namespace overlane::kernel
