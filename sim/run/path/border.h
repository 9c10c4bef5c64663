#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/run/decide/decisions.h"
#include "sim/transport/retransmission_timeout.h"

namespace overlane::run {

/// What has become of a packet on its way to `receiver`, as of the flow that the run began with.
struct PacketFate {
  enum class Fate : std::uint8_t { Arrived, Lost };

  EndpointId receiver = 0;
  Picos sent_at;
  Picos at;
  Fate fate = Fate::Arrived;
};

/// Packets that one partition of a run has sent to nodes of another: values, in the order in which
/// they were sent.
struct Mail {
  /// How a packet gets there.
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

/// The border of a partition: what it sends to nodes of others leaves it here. Time goes in windows
/// that are shorter than any way across: what is sent in one window arrives in a later one, so that
/// all partitions can go through a window at the same time. They take what was sent to them behind
/// each.
class Border {
 public:
  /// The referenced argument must outlive this object. With one partition there is none beyond.
  Border(const PartitionOfNode& partition_of, std::uint16_t own, std::uint16_t partitions)
      : partition_of_(partition_of), own_(own), is_open_(partitions > 1) {
    for (std::vector<Mail>& mail : mail_)
      mail.resize(partitions);
  }

  std::uint16_t own() const { return own_; }
  /// Whether there are other partitions.
  bool is_open() const { return is_open_; }
  bool is_beyond(std::uint32_t node) const { return is_open_ && partition_of_[node] != own_; }

  /// From now on packets are sent in window number `window`. All have taken what was sent in the
  /// last but one.
  void begin(std::uint64_t window) {
    sending_ = window % 2;
    earliest_ = transport::kNever;
    for (Mail& mail : mail_[sending_])
      mail.clear();
  }
  /// What goes to a node in this window, where one more packet will arrive at `at`.
  Mail& mail_to(std::uint32_t node, Picos at) {
    earliest_ = std::min(earliest_, at);
    return mail_to(node);
  }
  /// The mail to a node's partition in this window.
  Mail& mail_to(std::uint32_t node) { return mail_[sending_][partition_of_[node]]; }
  /// Arrival of the first packet that was sent in this window; kNever if none was.
  Picos earliest() const { return earliest_; }
  /// What was sent to a partition in a window.
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
