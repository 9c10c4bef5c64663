#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/kernel/traffic/carry.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// One flow of carry(): a client thread and a server thread with their sockets. Each counter is
// written by one thread and may be read by other threads while the flow runs.

/// Opens a listening TCP socket, or a UDP socket, at an address of a namespace.
Parsed<OwnedFd> open_server(const FlowEnd& end, std::uint16_t port, const FlowLoad& load);

bool is_udp(const FlowLoad& load);

/// Phase of the measurement, shared by all flows.
struct Phase {
  std::atomic<bool> counts{false};
  std::atomic<bool> is_measured{false};  ///< The counted time is over.
  std::atomic<bool> over{false};
};

/// A counter that one thread writes and others may read at the same time.
struct alignas(64) Counter {
  std::atomic<std::int64_t> value{0};

  void add(std::int64_t more) {
    value.store(value.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  std::int64_t get() const { return value.load(std::memory_order_relaxed); }
};

/// One flow and its two threads.
class RunningFlow {
 public:
  RunningFlow(const Flow& flow, const Phase& phase, OwnedFd server)
      : flow_(flow), phase_(phase), server_(std::move(server)) {}

  void start();
  void join();

  /// Figures so far. Latency and failure are valid only after join().
  FlowFigures figures() const;
  const model::Histogram& latency() const { return latency_; }
  const std::string& failure() const { return failure_; }

 private:
  bool is_over() const { return phase_.over; }
  /// Whether the end of a connection is no error, because the other host may have finished earlier.
  bool may_end() const { return phase_.is_measured || phase_.over; }

  void on(int cpu, const std::function<void()>& run);
  void record(std::int64_t since_ns);
  void serve();
  void read_stream(int fd);
  void read_datagrams();
  void answer(int fd);
  void answer_datagrams();
  Parsed<OwnedFd> connect() const;
  void ask();
  void write_stream(int fd);
  void send_datagrams(int fd);
  void request(OwnedFd connection);
  bool exchange(int fd, std::span<const std::uint8_t> request, std::span<std::uint8_t> response);
  bool exchange_datagrams(int fd, std::span<const std::uint8_t> request,
                          std::span<std::uint8_t> response);

  /// Stamp in datagrams, in the sender's byte order: both hosts have the same one.
  struct Stamp {
    std::int64_t sent_ns = 0;
    std::int64_t number = 0;  ///< From 1.
  };
  static_assert(sizeof(Stamp) == kStampBytes);

  const Flow& flow_;
  const Phase& phase_;
  OwnedFd server_;
  Counter stream_bytes_;  ///< Bytes of a stream that the server read.
  /// Messages. Their bytes follow from their number, so that figures read while traffic runs never
  /// have a message without its bytes.
  Counter sent_, received_;
  Counter highest_;           ///< Largest number of a datagram that arrived.
  model::Histogram latency_;  ///< Written only by the thread that records.
  std::string failure_;       ///< Error of the client.
  std::jthread server_thread_, client_thread_;
};

}  // namespace overlane::kernel
