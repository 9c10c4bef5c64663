#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/model/run_report.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/skip/datagram_span.h"
#include "sim/run/skip/queue_bound.h"

namespace overlane::run {

/// Why no event of a run can be left out, whatever its flows do; empty if some may be.
std::string no_span_because(const Network& network, const std::vector<TrafficGroup>& traffic,
                            const RunOptions& options);

/// Decides in which spans of a run events are left out (RunOptions::fast). Nodes that exchange
/// packets, directly or through other nodes, form a component: no packet leaves it. A component
/// enters a span if
///
///   - all its flows are datagrams at a constant pace, without silences;
///   - each flow has sent datagrams since the last change, so that all decisions about it are
///     cached, and none will expire in the span (settled);
///   - the queue of each NIC and port, and each cap on a flow, has a bound that excludes losses and
///     delays by caps (QueueBound).
///
/// A span ends before the next change of the states, when the warm-up ends, when the senders stop,
/// when a decision may expire, and at the end of the run. DatagramSpan computes the datagrams. One
/// partition owns a Skipper and is its only user.
class Skipper {
 public:
  /// Referenced arguments must outlive this object. Requires that no_span_because() is empty.
  Skipper(const Network& network, const std::vector<TrafficGroup>& traffic,
          const RunOptions& options, Flows& flows, PacketPath& path, Accounts& accounts);

  /// Declares that no state changes before `at`.
  void expect_change(std::optional<Picos> at);
  /// All events before the last result have happened. Computes what can be computed without events,
  /// up to `stop`, and returns the time up to which events must happen next; at most `stop`.
  /// `may_begin`: whether a span may begin now, as far as observers are concerned.
  Picos advance(Picos stop, bool may_begin);

  /// The spans and packets that were computed without events until now.
  model::SkipFacts facts() const;

 private:
  /// Nodes between which packets travel, and their flows.
  struct Component {
    std::vector<std::uint32_t> flows;
  };

  void find_components();
  bool begin(Picos now);
  bool add_settled(const Component& component, Picos now);
  std::optional<SettledFlow> settle(std::uint32_t flow, Picos now);
  bool has_bounds(std::span<const SettledFlow> flows, Picos now);
  Picos latest_end(Picos now) const;
  void run(Picos end);

  const Network& network_;
  const std::vector<TrafficGroup>& traffic_;
  const RunOptions& options_;
  Flows& flows_;
  PacketPath& path_;
  const Accounts& accounts_;
  std::vector<DatagramTimes> times_;
  std::vector<Component> components_;
  DatagramSpan span_;

  Picos reached_;  ///< All events before this time have happened.
  Picos end_;      ///< End of the current span.
  std::optional<Picos> next_change_;
  Picos next_try_;
  Picos wait_;            ///< Until the next attempt to begin a span, if the last one failed.
  Picos longest_in_nic_;  ///< Longest time that a datagram of the span spends in its NIC.
  Picos until_;           ///< Time until which all decisions of `found_` are known to hold.
  std::vector<SettledFlow> found_;
  std::vector<QueueBound> nic_bounds_;   ///< A buffer of has_bounds(), by node.
  std::vector<QueueBound> port_bounds_;  ///< A buffer of has_bounds(), by node.
  std::string last_obstacle_;            ///< Why no span began at the last attempt.
  std::int64_t spans_ = 0;
  Picos skipped_;
};

}  // namespace overlane::run
