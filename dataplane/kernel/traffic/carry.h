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

// Real traffic over the kernel: flows with sockets in namespaces, with two threads per flow. One
// thread prepares, runs and finishes a Traffic; finish() returns the figures.

class NetworkNamespace;

enum class FlowKind : std::uint8_t {
  Stream,     ///< TCP: the client writes as fast as it can.
  Datagrams,  ///< UDP: the client sends at a rate.
  Requests,   ///< The client sends a request, and the server a response.
};

/// Load between one client and one server.
struct FlowLoad {
  FlowKind kind = FlowKind::Stream;
  /// TCP: the kernel's name of the congestion control of both ends, "cubic"; empty: the host's.
  std::string congestion_control;

  // Datagrams
  std::uint32_t payload_bytes = 0;  ///< 1…65,507.
  double per_second =
      0;  ///< Datagrams per second, or requests per second of an open loop. 0: datagrams as fast as
          ///< possible, or the next request after the response.
  bool poisson = false;  ///< Exponentially distributed gaps with the same mean.

  // Requests
  bool over_udp = false;
  bool connection_each = false;      ///< TCP: a new connection for each request.
  std::uint32_t request_bytes = 1;   ///< At least 1.
  std::uint32_t response_bytes = 1;  ///< At least 1.
  std::chrono::nanoseconds think_time{};

  bool operator==(const FlowLoad&) const = default;
};

/// The place of an application. The namespace must outlive the flow.
struct FlowEnd {
  const NetworkNamespace* place = nullptr;  ///< Null: the calling thread's namespace.
  IpAddress address;
  int cpu = -1;  ///< The only CPU of its thread; -1: any.
};

/// The ends of a flow that this program runs. Another host runs the other end.
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

/// Minimum length of datagrams that contain their send time and number.
inline constexpr std::uint32_t kStampBytes = 16;

/// Figures of a flow in the counted time. Each figure comes from the end that knows it: received
/// bytes and datagrams from the server, everything about requests from the client.
struct FlowFigures {
  std::chrono::nanoseconds counted{};  ///< Duration of the counted time.
  std::int64_t received_bytes =
      0;  ///< Payload that the server read; for requests, payload in both directions.
  /// Datagrams or requests. If only the server runs here: datagrams according to the numbers that
  /// arrived.
  std::int64_t sent_messages = 0;
  std::int64_t received_messages = 0;  ///< Datagrams read, or responses.
  /// Latency in nanoseconds. Datagrams: from the call that sends to the call that reads. Requires
  /// datagrams of kStampBytes or more and both ends here, because two hosts have no common clock.
  /// Requests: until the response was read, from the sending of the request, or in an open loop
  /// from the time at which it was due.
  model::Histogram latency_ns;
  std::string failure;  ///< Error that ended the flow; empty if there was none.
};

/// CPU time of all processors of the machine (proc(5), /proc/stat), in seconds.
struct CpuTimes {
  double user = 0;  ///< User programs, including those with a nice value.
  double system = 0;
  double softirq = 0;  ///< Interrupts and softirqs, such as receiving packets.
  double idle = 0;
  double stolen = 0;  ///< Time that the hypervisor gave to other machines.

  double busy() const { return user + system + softirq; }
  CpuTimes operator-(const CpuTimes& earlier) const;
  CpuTimes& operator+=(const CpuTimes& other);
};

/// Durations: `warm_up` is not counted; `counted` follows.
struct FlowTimes {
  std::chrono::milliseconds warm_up{200};
  std::chrono::milliseconds counted{500};
};

struct Carried {
  std::vector<FlowFigures> flows;  ///< In the order of the flows.
  CpuTimes cpu;                    ///< CPU time of the whole machine while the flows counted.
};

/// Flows over the kernel. Each has a thread and real sockets in its namespace for its client and
/// for its server. The destructor ends them.
class Traffic {
 public:
  /// Opens the sockets; servers listen afterwards. Fails if a socket cannot be made.
  static Parsed<Traffic> prepare(std::vector<Flow> flows);
  Traffic(Traffic&&) noexcept;
  ~Traffic();

  /// Starts all flows at once and returns at the end of the counted time; the flows continue. If
  /// `is_over` returns true, returns early and nothing is counted.
  void run(const FlowTimes& times, const std::function<bool()>& is_over);
  /// Ends the flows. Requires run(). A flow that did not work has a `failure`.
  Carried finish();

 private:
  struct State;
  explicit Traffic(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Prepares, runs and finishes flows with both ends here. Ends early if `stop` is set.
Parsed<Carried> carry(std::vector<Flow> flows, const FlowTimes& times,
                      const std::atomic<bool>& stop);

}  // namespace overlane::kernel
