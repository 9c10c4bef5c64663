#include "dataplane/kernel/traffic/connections.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/traffic/socket_address.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kConnectTime{3000};
/// Bytes of a request, of its response, and of what a stream sends at an interval.
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

std::string_view to_string(ConnectionUse use) {
  switch (use) {
    case ConnectionUse::Requests:
      return "requests";
    case ConnectionUse::Idle:
      return "idle";
    case ConnectionUse::Stream:
      return "stream";
  }
  return "";
}

struct Connections::State {
  /// Progress of a stream at its server.
  struct Progress {
    std::uint64_t sent = 0;  ///< In bytes, like `arrived`.
    std::uint64_t arrived = 0;
    Clock::time_point last;  ///< When bytes arrived last.
  };

  /// The client's end of a connection.
  struct Client {
    ConnectionUse use{};
    OwnedFd fd;
    std::optional<Clock::time_point> asked;  ///< When the open request was sent.
    Clock::time_point next;                  ///< When the next request is due.
    std::size_t received = 0;                ///< Bytes of the response.
    Progress stream;
    ConnectionOutcome outcome;

    bool is_open() const { return fd.is_open(); }
    bool is_stream() const { return use == ConnectionUse::Stream; }
    bool waits() const { return asked.has_value() || stream.arrived < stream.sent; }
  };

  /// The server's end of a connection. The first four bytes from the client are 0, or the number of
  /// the client from 1 if the connection is a stream.
  struct Server {
    OwnedFd fd;
    std::optional<std::uint32_t> number;
  };

  std::vector<OwnedFd> listeners;  ///< By end; closed where no server is.
  std::vector<Server> servers;     ///< Accepted connections.
  std::vector<Client> clients;
  milliseconds interval{};
  std::atomic<bool> ends{false};   ///< No more requests, except of idle connections.
  bool has_ended_streams = false;  ///< Belongs to the thread.
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

  /// Sends the next bytes of a stream, which begin with its number.
  void send_on(std::uint32_t index) {
    Client& client = clients[index];
    Buffer bytes{};
    const std::uint32_t number = index + 1;
    std::memcpy(bytes.data(), &number, sizeof number);
    const ssize_t sent = send(client.fd.get(), bytes.data(), kBytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return close(client, text_of(errno));
    client.stream.sent += static_cast<std::uint64_t>(std::max<ssize_t>(sent, 0));
    client.next = Clock::now() + interval;
  }
  void note_progress(Client& client, std::uint64_t bytes) {
    client.stream.arrived += bytes;
    if (!has_ended_streams) note_pause(client);
    client.stream.last = Clock::now();
  }
  static void note_pause(Client& client) {
    const nanoseconds pause = Clock::now() - client.stream.last;
    client.outcome.longest_wait = std::max(client.outcome.longest_wait, pause);
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

  /// Takes what has arrived, and sends it back if it is no stream. False if the connection has
  /// ended.
  bool serve(Server& server) {
    std::array<char, 4096> bytes;
    const ssize_t got = recv(server.fd.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    const auto count = static_cast<std::size_t>(got);
    if (!server.number && count >= sizeof(std::uint32_t)) {
      server.number.emplace();
      std::memcpy(&*server.number, bytes.data(), sizeof(std::uint32_t));
    }
    if (count == 0 || !server.number || *server.number > clients.size()) return false;
    if (*server.number == 0) return send(server.fd.get(), bytes.data(), count, MSG_NOSIGNAL) == got;
    note_progress(clients[*server.number - 1], count);
    return true;
  }

  void accept_all(int listener) {
    for (int fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); fd >= 0;
         fd = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) {
      set_no_delay(fd);
      servers.push_back({OwnedFd(fd), std::nullopt});
    }
  }

  void run() {
    for (Client& client : clients)
      client.stream.last = Clock::now();
    while (now_ns() < until_ns) {
      if (ends && !std::exchange(has_ended_streams, true)) finish_uses();
      for (std::uint32_t i = 0; i < clients.size() && !ends; ++i) {
        Client& client = clients[i];
        if (!client.is_open() || client.next > Clock::now()) continue;
        if (client.is_stream()) send_on(i);
        if (client.use == ConnectionUse::Requests && !client.asked) ask(client);
      }
      const bool is_done = ends && std::ranges::none_of(clients, [](const Client& client) {
                             return client.is_open() && client.waits();
                           });
      if (is_done) break;
      wait();
    }
    for (Client& client : clients) {
      if (client.asked) note_wait(client);
      if (client.is_stream())
        client.outcome.is_answered = client.stream.sent > 0 && !client.waits();
    }
  }

  /// Sends the requests of idle connections, and ends the measurement of streams.
  void finish_uses() {
    for (Client& client : clients) {
      if (client.is_open() && client.use == ConnectionUse::Idle) ask(client);
      if (client.is_stream()) note_pause(client);
    }
  }

  /// Handles what arrives within a few milliseconds.
  void wait() {
    std::vector<pollfd> waits;
    for (const OwnedFd& listener : listeners)
      waits.push_back({listener.get(), POLLIN, 0});
    const std::size_t first_server = waits.size();
    for (const Server& server : servers)
      waits.push_back({server.fd.get(), POLLIN, 0});
    const std::size_t first_client = waits.size();
    for (const Client& client : clients)
      waits.push_back({client.fd.get(), POLLIN, 0});
    if (poll(waits.data(), waits.size(), 5) <= 0) return;
    const auto is_ready = [&](std::size_t at) { return waits[at].revents != 0; };
    for (std::size_t i = 0; i < clients.size(); ++i)
      if (is_ready(first_client + i)) read(clients[i]);
    for (std::size_t i = 0; i < first_client - first_server; ++i)
      if (is_ready(first_server + i) && !serve(servers[i])) servers[i].fd = {};
    for (std::size_t i = 0; i < first_server; ++i)
      if (is_ready(i)) accept_all(listeners[i].get());
  }

  /// Begins to connect a client.
  void connect(Client& client, const ProbeEnd& from, const ServiceAddress& to) {
    const Inside inside(*from.place);
    client.fd =
        OwnedFd(socket(family_of(from.address), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const SocketAddress own(from.address, 0), server(to.address, to.port);
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
    state->connect(client, ends[one.client],
                   one.service.value_or(ServiceAddress{ends[one.server].address, kConnectionPort}));
  }
  const auto until = Clock::now() + kConnectTime;
  for (State::Client& client : state->clients)
    state->await_connection(client, until);
  State& running = *state;
  running.thread = std::jthread([&running] { running.run(); });
  return Connections(std::move(state));
}

void Connections::stop() {
  state_->ends = true;
}

std::vector<ConnectionOutcome> Connections::finish(milliseconds patience) {
  stop();
  state_->until_ns = State::now_ns() + nanoseconds(patience).count();
  state_->thread.join();
  std::vector<ConnectionOutcome> outcomes;
  for (const State::Client& client : state_->clients)
    outcomes.push_back(client.outcome);
  return outcomes;
}

}  // namespace overlane::kernel
