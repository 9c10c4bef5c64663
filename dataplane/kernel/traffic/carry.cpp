#include "dataplane/kernel/traffic/carry.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <thread>

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

bool is_udp(const FlowLoad& load) {
  return load.kind == FlowKind::Datagrams || (load.kind == FlowKind::Requests && load.over_udp);
}

/// Whether figures count, and whether the flows are to go on.
struct Phase {
  std::atomic<bool> counts{false};
  std::atomic<bool> over{false};
};

/// Written by one thread, read by others while it runs.
struct alignas(64) Counter {
  std::atomic<std::int64_t> value{0};

  void add(std::int64_t more) {
    value.store(value.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::int64_t get() const { return value.load(std::memory_order_relaxed); }
};

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

/// One flow and its two threads.
class RunningFlow {
 public:
  RunningFlow(const Flow& flow, const Phase& phase, OwnedFd server)
      : flow_(flow), phase_(phase), server_(std::move(server)) {}

  void start() {
    server_thread_ = std::jthread([this] { on(flow_.server.cpu, [this] { serve(); }); });
    client_thread_ = std::jthread([this] { on(flow_.client.cpu, [this] { ask(); }); });
  }
  void join() {
    client_thread_.join();
    server_thread_.join();
  }

  /// So far; latency and failure only after join().
  FlowFigures figures() const {
    return {.received_bytes = received_bytes_.get(),
            .sent_messages = sent_.get(),
            .received_messages = received_.get(),
            .latency_ns = {},
            .failure = {}};
  }
  const model::Histogram& latency() const { return latency_; }
  const std::string& failure() const { return failure_; }

 private:
  bool is_over() const { return phase_.over; }

  template <typename Do>
  void on(int cpu, Do run) {
    if (cpu >= 0) {
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(static_cast<unsigned>(cpu), &set);
      pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    }
    prctl(PR_SET_TIMERSLACK, 1UL);  // Sleeps end when they should.
    run();
  }

  void record(std::int64_t since_ns) {
    if (phase_.counts.load(std::memory_order_relaxed))
      latency_.record(std::max<std::int64_t>(0, now_ns() - since_ns));
  }

  void serve() {
    if (flow_.load.kind == FlowKind::Datagrams) return read_datagrams();
    if (is_udp(flow_.load)) return answer_datagrams();
    while (!is_over()) {
      const auto connection = accept_one(server_.get());
      if (!connection) continue;
      flow_.load.kind == FlowKind::Stream ? read_stream(connection->get())
                                          : answer(connection->get());
    }
  }

  void read_stream(int fd) {
    std::vector<std::uint8_t> buffer(kStreamBytes);
    while (!is_over()) {
      const ssize_t count = recv(fd, buffer.data(), buffer.size(), 0);
      if (count == 0 || (count < 0 && !has_merely_waited())) return;
      if (count > 0) received_bytes_.add(count);
    }
  }

  void read_datagrams() {
    std::vector<std::uint8_t> buffer(std::size_t{1} << 16);
    while (!is_over()) {
      const ssize_t count = recv(server_.get(), buffer.data(), buffer.size(), 0);
      if (count < 0) continue;
      received_bytes_.add(count);
      received_.add(1);
      if (static_cast<std::size_t>(count) < kStamp) continue;
      std::int64_t sent_ns = 0;
      std::memcpy(&sent_ns, buffer.data(), sizeof sent_ns);
      record(sent_ns);
    }
  }

  void answer(int fd) {
    std::vector<std::uint8_t> request(flow_.load.request_bytes),
        response(flow_.load.response_bytes);
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

  void answer_datagrams() {
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

  Parsed<OwnedFd> connect() const {
    return open_client(flow_.client, flow_.server, flow_.port, is_udp(flow_.load),
                       kConnectPatience);
  }

  void ask() {
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

  void write_stream(int fd) {
    const std::vector<std::uint8_t> buffer(kStreamBytes);
    while (!is_over()) {
      std::size_t done = 0;
      Io io = Io::Waited;
      while (io == Io::Waited && !is_over())
        io = send_all(fd, buffer, done);
      if (io == Io::Ended) {
        const std::string why = system_error("the connection ended");
        if (!is_over()) failure_ = why;
        return;
      }
    }
  }

  void send_datagrams(int fd) {
    std::vector<std::uint8_t> buffer(flow_.load.payload_bytes);
    Schedule schedule(flow_);
    while (!is_over()) {
      if (schedule.is_open()) wait_until(schedule.take());
      const std::int64_t sent_ns = now_ns();
      if (buffer.size() >= kStamp) std::memcpy(buffer.data(), &sent_ns, sizeof sent_ns);
      const ssize_t count = send(fd, buffer.data(), buffer.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        sent_.add(1);
      } else if (!has_merely_waited() && !is_over()) {
        failure_ = system_error("a datagram could not be sent");
        return;
      }
    }
  }

  void request(OwnedFd connection) {
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
          if (!is_over()) failure_ = next.error();
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

  bool exchange(int fd, std::span<const std::uint8_t> request, std::span<std::uint8_t> response) {
    std::size_t sent = 0, got = 0;
    Io io = Io::Waited;
    while (io == Io::Waited && !is_over())
      io = send_all(fd, request, sent);
    for (io = io == Io::Done ? Io::Waited : io; io == Io::Waited && !is_over();)
      io = receive_all(fd, response.first(flow_.load.response_bytes), got);
    if (io == Io::Ended && !is_over()) failure_ = "the server ended the connection";
    return io == Io::Done;
  }

  bool exchange_datagrams(int fd, std::span<const std::uint8_t> request,
                          std::span<std::uint8_t> response) {
    if (send(fd, request.data(), request.size(), MSG_NOSIGNAL) < 0 && !has_merely_waited())
      failure_ = system_error("a request could not be sent");
    const auto until = Clock::now() + kRequestPatience;
    while (failure_.empty() && !is_over() && Clock::now() < until)
      if (recv(fd, response.data(), response.size(), 0) >= 0) return true;
    return false;
  }

  static constexpr std::size_t kStamp = 16;

  const Flow& flow_;
  const Phase& phase_;
  OwnedFd server_;
  Counter received_bytes_, sent_, received_;
  model::Histogram latency_;  ///< Of the one thread that records.
  std::string failure_;       ///< The client's.
  std::jthread server_thread_, client_thread_;
};

/// Sleeps for a while, less if `stop` is set.
void sleep_for(milliseconds time, const std::atomic<bool>& stop) {
  const auto until = Clock::now() + time;
  while (!stop && Clock::now() < until)
    std::this_thread::sleep_for(std::min<nanoseconds>(milliseconds(20), until - Clock::now()));
}

}  // namespace

Parsed<Carried> carry(std::span<const Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop) {
  Phase phase;
  std::deque<RunningFlow> running;
  for (const Flow& flow : flows) {
    auto server = open_server(flow.server, flow.port, is_udp(flow.load));
    if (!server) return fail(server.error());
    running.emplace_back(flow, phase, *std::move(server));
  }
  for (RunningFlow& flow : running)
    flow.start();

  sleep_for(times.warm_up, stop);
  std::vector<FlowFigures> before, after;
  for (const RunningFlow& flow : running)
    before.push_back(flow.figures());
  const CpuTimes cpu = read_cpu_times();
  const auto begin = Clock::now();
  phase.counts = true;
  sleep_for(times.counted, stop);
  phase.counts = false;
  Carried carried{.flows = {}, .counted = Clock::now() - begin, .cpu = read_cpu_times() - cpu};
  for (const RunningFlow& flow : running)
    after.push_back(flow.figures());
  phase.over = true;
  for (RunningFlow& flow : running)
    flow.join();

  for (std::size_t i = 0; i < running.size(); ++i) {
    FlowFigures figures = after[i];
    figures.received_bytes -= before[i].received_bytes;
    figures.sent_messages -= before[i].sent_messages;
    figures.received_messages -= before[i].received_messages;
    figures.latency_ns = running[i].latency();
    figures.failure = running[i].failure();
    carried.flows.push_back(std::move(figures));
  }
  return carried;
}

}  // namespace overlane::kernel
