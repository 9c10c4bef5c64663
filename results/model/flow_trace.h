#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"

namespace overlane::model {

// The trace of one flow of a simulated variant: each packet of the flow at each place, for
// `overlane run --trace-flow`. A line is one event of one packet ("on-wire", "dropped") with the
// time since the packet's previous line. A leg sums these times over all packets between two
// places. The engine fills the values, results/report/run_values_text.h prints them, and encode()
// writes them as JSON lines. Events, flags and encapsulations are string_views of string literals.

/// The TCP header fields of a segment. Numbers are relative to the SYN, as tcpdump shows them.
struct TracedTcp {
  std::int64_t sequence = 0;
  std::int64_t acknowledgement = 0;
  std::int64_t window_bytes = 0;  ///< After window scaling (RFC 7323).
  std::int64_t payload_bytes = 0;
  std::string_view flags;  ///< In tcpdump's notation: "S", "S.", ".", "F.".
  std::int64_t sack_blocks = 0;
  bool retransmission = false;
  // The sender's state when it sent the segment; 0 in lines of other events.
  std::int64_t congestion_window_bytes = 0;
  std::int64_t in_flight_bytes = 0;
  std::int64_t smoothed_rtt_ns = 0;

  bool operator==(const TracedTcp&) const = default;
};

/// One event of one packet at one place.
struct TraceLine {
  std::int64_t at_ns = 0;
  std::int64_t waited_ns = 0;  ///< Time since the packet's previous line.
  std::int64_t packet = 0;     ///< Packet number from 1; 0: an application's read.
  bool backward = false;
  std::string_view event;  ///< "sent", "on-wire", "dropped".
  std::string place;       ///< "node-1 core 2".
  std::int64_t bytes = 0;  ///< Length of the outermost IP packet, or of the payload of a read.
  std::string_view encapsulation;  ///< "none", "ipip"; empty for lines without a header.
  IpAddress source;                ///< Addresses of the outermost header.
  IpAddress destination;
  bool is_icmp = false;
  bool is_fragment = false;
  std::optional<TracedTcp> tcp;
  std::optional<Drop> drop;

  bool operator==(const TraceLine&) const = default;
};

/// The delay of one direction's packets from the previous place to this one.
struct TraceLeg {
  bool backward = false;
  std::string_view event;
  std::string place;
  std::int64_t packets = 0;
  std::int64_t sum_ns = 0;
  std::int64_t max_ns = 0;

  bool operator==(const TraceLeg&) const = default;
};

/// One flow of one variant, packet by packet.
struct FlowTrace {
  std::string variant;
  std::string traffic;
  std::int64_t flow = 0;
  std::string client, server;    ///< "100.96.0.2:43512"; empty if the flow sent nothing.
  std::vector<TraceLine> lines;  ///< Up to the limit, in order of time.
  std::int64_t left_out = 0;     ///< Number of lines beyond the limit.
  std::vector<TraceLeg> legs;    ///< Delays of all packets, in order of first occurrence.

  bool operator==(const FlowTrace&) const = default;
};

/// One trace line as one line of a JSON lines file.
nlohmann::ordered_json encode(const FlowTrace& trace, const TraceLine& line);

}  // namespace overlane::model
