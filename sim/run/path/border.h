#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/run/decide/decisions.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

/// Whether a packet to `receiver` has arrived or was lost. `receiver` is an endpoint of the flow's
/// first connection.
struct PacketFate {
  enum class Fate : std::uint8_t { Arrived, Lost };

  EndpointId receiver = 0;
  Picos sent_at;
  Picos at;
  Fate fate = Fate::Arrived;
};

/// Copies of packets that one partition of a run has sent to nodes of another, in the order of
/// sending.
struct Mail {
  /// The fabric path of a packet.
  struct Way {
    std::uint32_t from = 0;  ///< Node.
    std::uint16_t number = 0;
    bool brings_header = false;  ///< In `headers`.
  };

  std::vector<Packet> packets;               ///< They arrive at Packet::at.
  std::vector<Way> ways;                     ///< By packet.
  std::vector<transport::Segment> segments;  ///< One for each TCP packet, in order.
  CarriedHeaders headers;
  std::vector<PacketFate> lost;  ///< Packets to the other's ends, maybe by a change.

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

/// The border of a partition, where packets to nodes of other partitions leave it. Time is cut into
/// windows that are shorter than any path across: a packet sent in one window arrives in a later
/// one, so that all partitions run a window at the same time. They take their mail after each.
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
  /// The mail to a partition in a window, this or the last one.
  const Mail& sent_to(std::uint16_t partition, std::uint64_t window) const {
    return mail_[window % 2][partition];
  }

 private:
  const PartitionOfNode& partition_of_;
  std::uint16_t own_;
  bool is_open_;
  std::size_t sending_ = 0;
  Picos earliest_ = transport::kNever;
  std::array<std::vector<Mail>, 2> mail_;  ///< To each partition, in this window and the last.
};

}  // namespace overlane::run
