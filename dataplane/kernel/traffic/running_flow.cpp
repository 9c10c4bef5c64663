#include "dataplane/kernel/traffic/running_flow.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <vector>

#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/traffic/socket.h"
#include "sim/random/distribution.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;

/// What a stream's ends write and read at once, as iperf3 does.
constexpr std::size_t kStreamBytes = 128 << 10;
constexpr milliseconds kConnectPatience{3000};
/// After so long a request over UDP is given up, and asked again.
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
  /// When the next message is due, which is then over.
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

/// Sleeps until a time of the steady clock; late senders do not sleep.
void wait_until(std::int64_t due_ns) {
  if (due_ns <= now_ns()) return;
  const timespec due{.tv_sec = due_ns / 1'000'000'000, .tv_nsec = due_ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
}

}  // namespace

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
  return {.counted = {},
          .received_bytes = received_bytes_.get(),
          .sent_messages = flow_.has_client() ? sent_.get() : highest_.get(),
          .received_messages = received_.get(),
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
  prctl(PR_SET_TIMERSLACK, 1UL);  // Sleeps end when they should.
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
    if (count > 0) received_bytes_.add(count);
  }
}

void RunningFlow::read_datagrams() {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 16);
  while (!is_over()) {
    const ssize_t count = recv(server_.get(), buffer.data(), buffer.size(), 0);
    if (count < 0) continue;
    received_bytes_.add(count);
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
    if (io != Io::Done) return;
    for (io = Io::Waited; io == Io::Waited && !is_over();)
      io = send_all(fd, response, sent);
    if (io != Io::Done) return;
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
  return open_client(flow_.client, flow_.server, flow_.port, is_udp(flow_.load), kConnectPatience);
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
    received_bytes_.add(flow_.load.request_bytes + std::int64_t{flow_.load.response_bytes});
    if (flow_.load.think_time.count() > 0) wait_until(now_ns() + flow_.load.think_time.count());
  }
}

bool RunningFlow::exchange(int fd, std::span<const std::uint8_t> request,
                           std::span<std::uint8_t> response) {
  std::size_t sent = 0, got = 0;
  Io io = Io::Waited;
  while (io == Io::Waited && !is_over())
    io = send_all(fd, request, sent);
  for (io = io == Io::Done ? Io::Waited : io; io == Io::Waited && !is_over();)
    io = receive_all(fd, response.first(flow_.load.response_bytes), got);
  if (io == Io::Ended && !may_end()) failure_ = "the server ended the connection";
  return io == Io::Done;
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
