#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dataplane/net/address.h"
#include "results/finding/finding.h"
#include "results/model/histogram.h"

namespace overlane::kernel {

// Real traffic over the kernel: flows with sockets in namespaces, two threads for each flow.
// Traffic is prepared, run and finished by one thread; the figures are read after finish().

class NetworkNamespace;

enum class FlowKind : std::uint8_t {
  Stream,     ///< TCP: the client writes as fast as it can.
  Datagrams,  ///< UDP: the client sends at a rate.
  Requests,   ///< The client sends a request, and the server a response.
};

/// What one client and one server exchange.
struct FlowLoad {
  FlowKind kind = FlowKind::Stream;

  // Datagrams
  std::uint32_t payload_bytes = 0;  ///< 1…65,507.
  double per_second = 0;  ///< Datagrams, or requests of an open loop; 0: as fast as it can, or the
                          ///< next request when the response is there.
  bool poisson = false;   ///< Random gaps with the same mean.

  // Requests
  bool over_udp = false;
  bool connection_each = false;      ///< TCP: a new connection for each request.
  std::uint32_t request_bytes = 1;   ///< At least 1.
  std::uint32_t response_bytes = 1;  ///< At least 1.
  std::chrono::nanoseconds think_time{};

  bool operator==(const FlowLoad&) const = default;
};

/// Where an application runs. The namespace must outlive the flow.
struct FlowEnd {
  const NetworkNamespace* place = nullptr;  ///< Null: the calling thread's own.
  IpAddress address;
  int cpu = -1;  ///< The only one that its thread runs on; -1: any.
};

/// The ends of a flow that this program runs; another host has the other one.
enum class FlowEnds : std::uint8_t { Both, Client, Server };

struct Flow {
  FlowLoad load;
  FlowEnd client;
  FlowEnd server;
  std::uint16_t port = 0;  ///< Port of the server; the namespace must have it free.
  std::uint64_t seed = 1;  ///< Seed of random gaps.
  FlowEnds here = FlowEnds::Both;

  bool has_client() const { return here != FlowEnds::Server; }
  bool has_server() const { return here != FlowEnds::Client; }
};

/// Datagrams hold the time at which they were sent and their number, if they are as long.
inline constexpr std::uint32_t kStampBytes = 16;

/// What a flow did in the time that counts. Each figure is that of the end that knows it: received
/// bytes and datagrams of the server, all of requests of the client.
struct FlowFigures {
  std::chrono::nanoseconds counted{};  ///< The time that counts.
  std::int64_t received_bytes = 0;     ///< Payload that the server read; of requests both ways.
  /// Datagrams or requests. Where only the server is here: datagrams by the numbers that arrived.
  std::int64_t sent_messages = 0;
  std::int64_t received_messages = 0;  ///< Datagrams that were read, or responses.
  /// Datagrams: from the call that sends to the one that reads, if they hold a time (kStampBytes)
  /// and both ends are here: two hosts have no common clock. Requests: until the response was read;
  /// in an open loop since it was due.
  model::Histogram latency_ns;
  std::string failure;  ///< Why it did not go on; empty: it did.
};

/// What all processors of the machine did (proc(5), /proc/stat), in seconds.
struct CpuTimes {
  double user = 0;  ///< Programs, nice ones too.
  double system = 0;
  double softirq = 0;  ///< Interrupts and what they leave behind, such as receiving packets.
  double idle = 0;
  double stolen = 0;  ///< Time that the hypervisor gave to others.

  double busy() const { return user + system + softirq; }
  CpuTimes operator-(const CpuTimes& earlier) const;
  CpuTimes& operator+=(const CpuTimes& other);
};

/// How long flows run: `warm_up` that does not count, then `counted`.
struct FlowTimes {
  std::chrono::milliseconds warm_up{200};
  std::chrono::milliseconds counted{500};
};

struct Carried {
  std::vector<FlowFigures> flows;  ///< In the order of the flows.
  CpuTimes cpu;                    ///< CPU time of the whole machine while the flows counted.
};

/// Flows over the kernel, each with a thread for its client and one for its server, and real
/// sockets in their namespaces. Ended by the destructor at the latest.
class Traffic {
 public:
  /// Servers listen from then on. Fails if a socket cannot be made.
  static Parsed<Traffic> prepare(std::vector<Flow> flows);
  Traffic(Traffic&&) noexcept;
  ~Traffic();

  /// Starts all flows at once and returns when the time that counts is over; they go on. Returns
  /// early when `is_over` does: then nothing counts.
  void run(const FlowTimes& times, const std::function<bool()>& is_over);
  /// Ends the flows; after run(). A flow that did not get through has a `failure`.
  Carried finish();

 private:
  struct State;
  explicit Traffic(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// All of it: flows with both ends here. Ends early if `stop` is set.
Parsed<Carried> carry(std::vector<Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop);

}  // namespace overlane::kernel
