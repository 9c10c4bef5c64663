#include "dataplane/kernel/traffic/running_flow.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <vector>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/traffic/socket_address.h"
#include "sim/random/distribution.h"

namespace overlane::kernel {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

/// Timeout of a socket call, after which the caller checks whether the flow is over.
constexpr std::chrono::milliseconds kSocketWait{50};

/// Result of a call that may time out.
enum class Io : std::uint8_t { Complete, Waited, Ended };

void set_waits(int fd) {
  const timeval wait{.tv_sec = 0, .tv_usec = std::chrono::microseconds(kSocketWait).count()};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
}

/// A socket in the namespace of a flow's end, with the load's congestion control.
Parsed<OwnedFd> make_socket(const FlowEnd& end, const FlowLoad& load, int flags = 0) {
  const auto open = [&] {
    const int type = is_udp(load) ? SOCK_DGRAM : SOCK_STREAM;
    return OwnedFd(socket(family_of(end.address), type | SOCK_CLOEXEC | flags, 0));
  };
  OwnedFd fd;
  if (end.place == nullptr) {
    fd = open();
  } else {
    const Inside inside(*end.place);
    fd = open();
  }
  if (!fd.is_open()) return fail(system_error("socket"));
  const std::string& control = load.congestion_control;
  if (!is_udp(load) && !control.empty() &&
      setsockopt(fd.get(), IPPROTO_TCP, TCP_CONGESTION, control.data(),
                 static_cast<socklen_t>(control.size())) != 0)
    return fail(system_error("congestion control " + control));
  return fd;
}

std::string text_of(const FlowEnd& end, std::uint16_t port) {
  return fmt::format("{} port {}", end.address.to_string(), port);
}

using Clock = std::chrono::steady_clock;

/// Size of one write or read of a stream, as in iperf3.
constexpr std::size_t kStreamBytes = 128 << 10;
constexpr milliseconds kConnectPatience{3000};
/// Time after which a request over UDP is given up and sent again.
constexpr milliseconds kRequestPatience{1000};

std::int64_t now_ns() {
  return Clock::now().time_since_epoch().count();
}

/// The times at which messages are due.
class Schedule {
 public:
  Schedule(const Flow& flow)
      : gap_ns_(flow.load.per_second > 0 ? 1e9 / flow.load.per_second : 0),
        poisson_(flow.load.poisson),
        stream_(flow.seed, StreamUse::Arrivals, flow.port),
        next_ns_(static_cast<double>(now_ns())) {}

  bool is_open() const { return gap_ns_ > 0; }
  /// Returns the time at which the next message is due, and advances to the one after it.
  std::int64_t take() {
    const auto due = static_cast<std::int64_t>(next_ns_);
    next_ns_ +=
        poisson_
            ? static_cast<double>(Distribution::exponential(
                                      std::max<std::int64_t>(1, static_cast<std::int64_t>(gap_ns_)))
                                      .draw(stream_))
            : gap_ns_;
    return due;
  }

 private:
  double gap_ns_;
  bool poisson_;
  RandomStream stream_;
  double next_ns_;
};

/// Sleeps until a time of the steady clock. Returns at once if the time is past.
void wait_until(std::int64_t due_ns) {
  if (due_ns <= now_ns()) return;
  const timespec due{.tv_sec = due_ns / 1'000'000'000, .tv_nsec = due_ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
}

/// Whether errno allows the failed call to be repeated: it timed out, was interrupted, found a full
/// queue, or the other end does not listen yet.
bool has_merely_waited() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR || errno == ECONNREFUSED ||
         errno == ENOBUFS;
}

/// Opens a socket in the client's namespace and connects it to the server. For TCP, waits at most
/// `patience` for the handshake.
Parsed<OwnedFd> open_client(const FlowEnd& client, const FlowEnd& server, std::uint16_t port,
                            const FlowLoad& load, std::chrono::milliseconds patience) {
  const bool udp = is_udp(load);
  auto made = make_socket(client, load, SOCK_NONBLOCK);
  if (!made) return made;
  OwnedFd fd = *std::move(made);
  set_waits(fd.get());
  const SocketAddress own(client.address, 0), far(server.address, port);
  if (bind(fd.get(), own.get(), own.length) != 0)
    return fail(system_error("client at " + text_of(client, 0)));
  if (connect(fd.get(), far.get(), far.length) != 0 && errno != EINPROGRESS)
    return fail(system_error("connecting to " + text_of(server, port)));
  pollfd ready{.fd = fd.get(), .events = POLLOUT, .revents = 0};
  const int count = udp ? 1 : poll(&ready, 1, static_cast<int>(patience.count()));
  int error = 0;
  socklen_t length = sizeof error;
  getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length);
  errno = count == 0 ? ETIMEDOUT : error;
  if (errno != 0) return fail(system_error("connecting to " + text_of(server, port)));
  // From here on calls block, up to the socket's timeouts.
  const int flags = fcntl(fd.get(), F_GETFL);
  fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK);
  if (!udp) set_no_delay(fd.get());
  return fd;
}

/// Accepts the next connection, if there is one within kSocketWait.
std::optional<OwnedFd> accept_one(int listener) {
  OwnedFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (!fd.is_open()) return std::nullopt;
  set_waits(fd.get());
  set_no_delay(fd.get());
  return fd;
}

/// Writes all of `bytes`, continuing at offset `done`.
Io send_all(int fd, std::span<const std::uint8_t> bytes, std::size_t& done) {
  while (done < bytes.size()) {
    const ssize_t count = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count < 0) return has_merely_waited() ? Io::Waited : Io::Ended;
    done += static_cast<std::size_t>(count);
  }
  return Io::Complete;
}

Io receive_all(int fd, std::span<std::uint8_t> bytes, std::size_t& done) {
  while (done < bytes.size()) {
    const ssize_t count = recv(fd, bytes.data() + done, bytes.size() - done, 0);
    if (count == 0) return Io::Ended;
    if (count < 0) return has_merely_waited() ? Io::Waited : Io::Ended;
    done += static_cast<std::size_t>(count);
  }
  return Io::Complete;
}

/// Payload of a datagram, or of a request and its response.
std::int64_t bytes_per_message(const FlowLoad& load) {
  if (load.kind == FlowKind::Datagrams) return load.payload_bytes;
  return std::int64_t{load.request_bytes} + load.response_bytes;
}

}  // namespace

Parsed<OwnedFd> open_server(const FlowEnd& end, std::uint16_t port, const FlowLoad& load) {
  auto made = make_socket(end, load);
  if (!made) return made;
  OwnedFd fd = *std::move(made);
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  set_waits(fd.get());
  const SocketAddress address(end.address, port);
  if (bind(fd.get(), address.get(), address.length) != 0 ||
      (!is_udp(load) && listen(fd.get(), SOMAXCONN) != 0))
    return fail(system_error("server at " + text_of(end, port)));
  return fd;
}

bool is_udp(const FlowLoad& load) {
  return load.kind == FlowKind::Datagrams || (load.kind == FlowKind::Requests && load.over_udp);
}

void RunningFlow::start() {
  if (flow_.has_server())
    server_thread_ = std::jthread([this] { on(flow_.server.cpu, [this] { serve(); }); });
  if (flow_.has_client())
    client_thread_ = std::jthread([this] { on(flow_.client.cpu, [this] { ask(); }); });
}

void RunningFlow::join() {
  if (client_thread_.joinable()) client_thread_.join();
  if (server_thread_.joinable()) server_thread_.join();
}

FlowFigures RunningFlow::figures() const {
  const std::int64_t received = received_.get();
  return {.counted = {},
          .received_bytes = flow_.load.kind == FlowKind::Stream
                                ? stream_bytes_.get()
                                : received * bytes_per_message(flow_.load),
          .sent_messages = flow_.has_client() ? sent_.get() : highest_.get(),
          .received_messages = received,
          .latency_ns = {},
          .failure = {}};
}

void RunningFlow::on(int cpu, const std::function<void()>& run) {
  if (cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  }
  prctl(PR_SET_TIMERSLACK, 1UL);  // Makes sleeps end on time.
  run();
}

void RunningFlow::record(std::int64_t since_ns) {
  if (phase_.counts.load(std::memory_order_relaxed))
    latency_.record(std::max<std::int64_t>(0, now_ns() - since_ns));
}

void RunningFlow::serve() {
  if (flow_.load.kind == FlowKind::Datagrams) return read_datagrams();
  if (is_udp(flow_.load)) return answer_datagrams();
  while (!is_over()) {
    const auto connection = accept_one(server_.get());
    if (!connection) continue;
    flow_.load.kind == FlowKind::Stream ? read_stream(connection->get())
                                        : answer(connection->get());
  }
}

void RunningFlow::read_stream(int fd) {
  std::vector<std::uint8_t> buffer(kStreamBytes);
  while (!is_over()) {
    const ssize_t count = recv(fd, buffer.data(), buffer.size(), 0);
    if (count == 0 || (count < 0 && !has_merely_waited())) return;
    if (count > 0) stream_bytes_.add(count);
  }
}

void RunningFlow::read_datagrams() {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 16);
  while (!is_over()) {
    const ssize_t count = recv(server_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0) continue;
    received_.add(1);
    if (static_cast<std::size_t>(count) < kStampBytes) continue;
    Stamp stamp;
    std::memcpy(&stamp, buffer.data(), sizeof stamp);
    if (stamp.number > highest_.get()) highest_.add(stamp.number - highest_.get());
    if (flow_.has_client()) record(stamp.sent_ns);
  }
}

void RunningFlow::answer(int fd) {
  std::vector<std::uint8_t> request(flow_.load.request_bytes), response(flow_.load.response_bytes);
  while (!is_over()) {
    std::size_t got = 0, sent = 0;
    Io io = Io::Waited;
    while (io == Io::Waited && !is_over())
      io = receive_all(fd, request, got);
    if (io != Io::Complete) return;
    for (io = Io::Waited; io == Io::Waited && !is_over();)
      io = send_all(fd, response, sent);
    if (io != Io::Complete) return;
  }
}

void RunningFlow::answer_datagrams() {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 16);
  sockaddr_storage from{};
  while (!is_over()) {
    socklen_t length = sizeof from;
    const ssize_t count = recvfrom(server_.get(), buffer.data(), buffer.size(), 0,
                                   reinterpret_cast<sockaddr*>(&from), &length);
    if (count >= 0)
      sendto(server_.get(), buffer.data(), flow_.load.response_bytes, 0,
             reinterpret_cast<const sockaddr*>(&from), length);
  }
}

Parsed<OwnedFd> RunningFlow::connect() const {
  return open_client(flow_.client, flow_.server, flow_.port, flow_.load, kConnectPatience);
}

void RunningFlow::ask() {
  auto connection = connect();
  if (!connection) {
    failure_ = connection.error();
    return;
  }
  switch (flow_.load.kind) {
    case FlowKind::Stream:
      return write_stream(connection->get());
    case FlowKind::Datagrams:
      return send_datagrams(connection->get());
    case FlowKind::Requests:
      return request(*std::move(connection));
  }
}

void RunningFlow::write_stream(int fd) {
  const std::vector<std::uint8_t> buffer(kStreamBytes);
  while (!is_over()) {
    std::size_t done = 0;
    Io io = Io::Waited;
    while (io == Io::Waited && !is_over())
      io = send_all(fd, buffer, done);
    if (io == Io::Ended) {
      const std::string why = system_error("the connection ended");
      if (!may_end()) failure_ = why;
      return;
    }
  }
}

void RunningFlow::send_datagrams(int fd) {
  std::vector<std::uint8_t> buffer(flow_.load.payload_bytes);
  Schedule schedule(flow_);
  while (!is_over()) {
    if (schedule.is_open()) wait_until(schedule.take());
    const Stamp stamp{.sent_ns = now_ns(), .number = sent_.get() + 1};
    if (buffer.size() >= kStampBytes) std::memcpy(buffer.data(), &stamp, sizeof stamp);
    const ssize_t count = send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      sent_.add(1);
    } else if (!has_merely_waited() && !may_end()) {
      failure_ = system_error("a datagram could not be sent");
      return;
    }
  }
}

void RunningFlow::request(OwnedFd connection) {
  std::vector<std::uint8_t> request(flow_.load.request_bytes);
  std::vector<std::uint8_t> response(std::max<std::size_t>(
      flow_.load.response_bytes, flow_.load.over_udp ? std::size_t{1} << 16 : 1));
  Schedule schedule(flow_);
  while (!is_over()) {
    std::int64_t since_ns = now_ns();
    if (schedule.is_open()) {
      since_ns = schedule.take();
      wait_until(since_ns);
    }
    if (flow_.load.connection_each) {
      auto next = connect();
      if (!next) {
        if (!may_end()) failure_ = next.error();
        return;
      }
      connection = *std::move(next);
    }
    sent_.add(1);
    const bool answered = flow_.load.over_udp
                              ? exchange_datagrams(connection.get(), request, response)
                              : exchange(connection.get(), request, response);
    if (!failure_.empty()) return;
    if (!answered) continue;
    record(since_ns);
    received_.add(1);
    if (flow_.load.think_time.count() > 0) wait_until(now_ns() + flow_.load.think_time.count());
  }
}

bool RunningFlow::exchange(int fd, std::span<const std::uint8_t> request,
                           std::span<std::uint8_t> response) {
  std::size_t sent = 0, got = 0;
  Io io = Io::Waited;
  while (io == Io::Waited && !is_over())
    io = send_all(fd, request, sent);
  for (io = io == Io::Complete ? Io::Waited : io; io == Io::Waited && !is_over();)
    io = receive_all(fd, response.first(flow_.load.response_bytes), got);
  if (io == Io::Ended && !may_end()) failure_ = "the server ended the connection";
  return io == Io::Complete;
}

bool RunningFlow::exchange_datagrams(int fd, std::span<const std::uint8_t> request,
                                     std::span<std::uint8_t> response) {
  if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0 && !has_merely_waited() &&
      !may_end())
    failure_ = system_error("a request could not be sent");
  const auto until = Clock::now() + kRequestPatience;
  while (failure_.empty() && !is_over() && Clock::now() < until)
    if (recv(fd, response.data(), response.size(), 0) >= 0) return true;
  return false;
}

}  // namespace overlane::kernel
