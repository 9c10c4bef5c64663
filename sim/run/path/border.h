#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/run/decide/decisions.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

/// Result of a packet to `receiver`, an endpoint of the flow's first connection: it arrived or was
/// lost.
struct PacketFate {
  enum class Fate : std::uint8_t { Arrived, Lost };

  EndpointId receiver = 0;
  Picos sent_at;
  Picos at;
  Fate fate = Fate::Arrived;
};

/// Copies of packets that one partition of a run has sent to the nodes of another partition, in
/// sending order.
struct Mail {
  /// The fabric path of a packet.
  struct Way {
    std::uint32_t from = 0;  ///< Sending node.
    std::uint16_t number = 0;
    bool brings_header = false;  ///< The packet's header is in `headers`.
  };

  std::vector<Packet> packets;               ///< Each arrives at its Packet::at.
  std::vector<Way> ways;                     ///< One per packet.
  std::vector<transport::Segment> segments;  ///< One for each TCP packet, in order.
  CarriedHeaders headers;
  std::vector<PacketFate> lost;  ///< Lost packets to the other's endpoints.

  void clear() {
    packets.clear();
    ways.clear();
    segments.clear();
    headers.copies.clear();
    headers.own.clear();
    lost.clear();
  }
};

/// Which partition of a run has each node.
using PartitionOfNode = std::vector<std::uint16_t>;

/// The border of a partition: the place where packets to nodes of other partitions leave it. Time
/// is cut into windows that are no longer than the delay of any path between partitions: a packet
/// sent in one window arrives in a later one, so that all partitions run a window in parallel. Each
/// takes its mail after every window. Each partition owns its Border; another partition reads it
/// with sent_to() only, for a window that is over.
class Border {
 public:
  /// `partition_of` must outlive this object. The border is open if there are other partitions.
  Border(const PartitionOfNode& partition_of, std::uint16_t own, std::uint16_t partitions)
      : partition_of_(partition_of), own_(own), is_open_(partitions > 1) {
    for (std::vector<Mail>& mail : mail_)
      mail.resize(partitions);
  }

  std::uint16_t own() const { return own_; }
  /// Whether there are other partitions.
  bool is_open() const { return is_open_; }
  bool is_beyond(std::uint32_t node) const { return is_open_ && partition_of_[node] != own_; }

  /// Begins window number `window`. All partitions must have taken the mail of the window before
  /// the last.
  void begin(std::uint64_t window) {
    sending_ = window % 2;
    earliest_ = transport::kNever;
    for (Mail& mail : mail_[sending_])
      mail.clear();
  }
  /// The mail to a node's partition in this window, for a packet that will arrive at `at`.
  Mail& mail_to(std::uint32_t node, Picos at) {
    earliest_ = std::min(earliest_, at);
    return mail_to(node);
  }
  /// The mail to a node's partition in this window.
  Mail& mail_to(std::uint32_t node) { return mail_[sending_][partition_of_[node]]; }
  /// Arrival of the first packet that was sent in this window; kNever if none was.
  Picos earliest() const { return earliest_; }
  /// The mail to a partition in `window`, which is the current one or the one before.
  const Mail& sent_to(std::uint16_t partition, std::uint64_t window) const {
    return mail_[window % 2][partition];
  }

 private:
  const PartitionOfNode& partition_of_;
  std::uint16_t own_;
  bool is_open_;
  std::size_t sending_ = 0;
  Picos earliest_ = transport::kNever;
  /// For each partition, in this window and the one before.
  std::array<std::vector<Mail>, 2> mail_;
};

}  // namespace overlane::run
