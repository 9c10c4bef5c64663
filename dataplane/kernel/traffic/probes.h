#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dataplane/net/address.h"
#include "results/finding/finding.h"

namespace overlane::kernel {

// Probes that find the interruptions of real paths between namespaces while their network changes.
// Probes sends numbered datagrams over every path at a fixed interval; Connections
// (connections.h) keeps TCP connections over them.

class NetworkNamespace;

/// A place of an application: a namespace, which must outlive the probes, and an address in it.
struct ProbeEnd {
  const NetworkNamespace* place = nullptr;
  IpAddress address;
};

/// An address and a port by which a server is asked: a Service's, or a NodePort.
struct ServiceAddress {
  IpAddress address;
  std::uint16_t port = 0;
};
/// The ports of servers at all ends: that of Probes and that of Connections.
inline constexpr std::uint16_t kProbePort = 7412;
inline constexpr std::uint16_t kConnectionPort = 7413;

/// The smallest payload of a probe, in bytes.
inline constexpr std::uint32_t kProbeBytes = 16;

/// The way from one end to another. All probes have the flag DF.
struct ProbePath {
  std::uint32_t from = 0;  ///< Index of an end.
  std::uint32_t to = 0;    ///< Index of an end.
  /// Whether a probe counts as arrived only when its answer, to the address that it came from, is
  /// back. Each such probe is the first of its flow, like a new connection: the kernel chooses its
  /// source and how to masquerade it. The answer must come from the address that was asked.
  /// Otherwise one direction is probed, by one flow.
  bool is_answered = false;
  /// Where probes are sent instead of the address of `to`, which answers them.
  std::optional<ServiceAddress> service = std::nullopt;
  std::uint32_t every = 1;  ///< Probes are sent in every n-th interval; at least 1.
  std::uint32_t payload_bytes = kProbeBytes;  ///< From kProbeBytes to 65,507.
};

/// A time in which no probe of a path arrived: from the sending of the first lost probe to that of
/// the next one that arrived. Both are exact to the interval between probes.
struct ProbeGap {
  std::chrono::steady_clock::time_point begin;
  std::optional<std::chrono::steady_clock::time_point> end;  ///< Empty: no later probe arrived.
};

/// Datagrams between ends, by one thread that sends and one that receives. The destructor ends
/// them.
class Probes {
 public:
  /// Opens a socket at each end and begins to send a probe over each path at every interval. Fails
  /// if a socket cannot be made.
  static Parsed<Probes> start(const std::vector<ProbeEnd>& ends, std::vector<ProbePath> paths,
                              std::chrono::milliseconds interval);
  Probes(Probes&&) noexcept;
  ~Probes();

  /// Stops sending, waits for probes on their way, and returns the gaps of each path in which at
  /// least two successive probes were lost, by time.
  std::vector<std::vector<ProbeGap>> finish();

 private:
  struct State;
  explicit Probes(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace overlane::kernel
