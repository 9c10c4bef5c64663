#pragma once

#include <cstdint>
#include <vector>

#include "results/model/series.h"
#include "sim/run/inputs/network.h"
#include "sim/run/inputs/run_options.h"
#include "sim/run/inputs/traffic_group.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// Counts what each interval of a run brings. Looks at what the run counts anyway, between events,
/// so that it changes nothing.
class SeriesRecorder {
 public:
  /// Referenced arguments must outlive this object.
  SeriesRecorder(const Network& network, const std::vector<TrafficGroup>& traffic,
                 const SeriesOptions& options, PacketPath& path, const Accounts& accounts);

  /// When the interval at hand ends.
  Picos next() const { return begun_ + options_.interval; }

  /// Records how full the queues of `node` are after an event there.
  void look(std::uint32_t node, Picos now);
  /// Ends the current interval, if one has begun.
  void close(Picos now);

  const model::Series& series() const { return series_; }

 private:
  /// The fullest that a node's queues were in the current interval.
  struct Fullest {
    std::int64_t nic_packets = 0, nic_bytes = 0, ring_packets = 0, port_packets = 0;
  };
  /// The counts of a group when the current interval began.
  struct Before {
    std::int64_t ip_bytes = 0, payload_bytes = 0, sent = 0, delivered = 0;
    DropCounts drops;
  };

  void close_traffic(std::size_t group, Picos length);
  void close_nodes(Picos now);
  std::int64_t busy_ppm(std::uint32_t node, Picos now);
  static void add(model::NodeSeries& series, const Fullest& fullest);

  const Network& network_;
  const SeriesOptions options_;
  PacketPath& path_;
  const Accounts& accounts_;
  Picos begun_;                     ///< Begin of the current interval.
  std::vector<Before> before_;      ///< By group.
  std::vector<Picos> busy_before_;  ///< By node: time that its cores were busy until `begun_`.
  std::vector<Fullest> fullest_;    ///< By node.
  model::Series series_;
};

}  // namespace overlane::run
