#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataplane/net/address.h"
#include "dataplane/net/drop.h"

namespace overlane::model {

/// What a TCP segment says. Numbers count from the SYN, as tcpdump shows them.
struct TracedTcp {
  std::int64_t sequence = 0;
  std::int64_t acknowledgement = 0;
  std::int64_t window_bytes = 0;  ///< Scaled.
  std::int64_t payload_bytes = 0;
  std::string_view flags;  ///< As tcpdump writes them: "S", "S.", ".", "F.".
  std::int64_t sack_blocks = 0;
  bool retransmission = false;
  // Of the sender when it sent it; else 0.
  std::int64_t congestion_window_bytes = 0;
  std::int64_t in_flight_bytes = 0;
  std::int64_t smoothed_rtt_ns = 0;

  bool operator==(const TracedTcp&) const = default;
};

/// One packet at one place.
struct TraceLine {
  std::int64_t at_ns = 0;
  std::int64_t waited_ns = 0;  ///< Since its line before.
  std::int64_t packet = 0;     ///< Stays with it, from 1; 0: what an application reads.
  bool backward = false;
  std::string_view event;          ///< "sent", "on-wire", "dropped".
  std::string place;               ///< "node-1 core 2".
  std::int64_t bytes = 0;          ///< Of the outermost IP packet; of what is read the payload.
  std::string_view encapsulation;  ///< "none", "ipip"; empty where there is no header.
  IpAddress source;                ///< Of the outermost header.
  IpAddress destination;
  bool is_icmp = false;
  bool is_fragment = false;
  std::optional<TracedTcp> tcp;
  std::optional<Drop> drop;

  bool operator==(const TraceLine&) const = default;
};

/// How long packets of one direction were on their way to a place from the one before.
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
  std::string client, server;    ///< "100.96.0.2:43512"; empty when it sent nothing.
  std::vector<TraceLine> lines;  ///< In the order of time; the first ones.
  std::int64_t left_out = 0;     ///< Lines beyond the limit.
  std::vector<TraceLeg> legs;    ///< Of all packets, in the order in which they were first seen.

  bool operator==(const FlowTrace&) const = default;
};

}  // namespace overlane::model
