#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "dataplane/forward/packet.h"
#include "dataplane/net/drop.h"
#include "dataplane/net/units.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// Where a packet is observed, and what just happened to it there.
enum class TracePoint : std::uint8_t {
  Sent,       ///< A socket has sent it.
  Worked,     ///< A core has done with it.
  Crypted,    ///< WireGuard's cipher has done with it, and the core hands it on.
  Vhost,      ///< The hypervisor has copied it out of its guest, or into one.
  Copied,     ///< From one socket of the node to another.
  OnWire,     ///< Its last bit has left the node's NIC.
  Admitted,   ///< A cap or an allowance of the cloud has let it pass.
  AtLeaf,     ///< It has reached the leaf of its rack, and goes on to another rack.
  AtSpine,    ///< Its last bit has reached the spine.
  Crossed,    ///< It has crossed the fabric to the link in front of the receiving node.
  Received,   ///< Its last bit has reached the receiving node's NIC.
  Polled,     ///< A core takes it out of its receive ring.
  Merged,     ///< GRO has put it into the buffer of a segment before it.
  Held,       ///< A fragment waits for the rest of its packet.
  Delivered,  ///< To its socket, or to the node itself.
  Dropped,
  Read,  ///< The application has read something.
};

/// What TCP knew when it sent a segment.
struct SenderState {
  std::int64_t congestion_window = 0;  ///< Bytes.
  std::int64_t in_flight = 0;          ///< Bytes sent and not acknowledged, with this segment.
  Picos smoothed_rtt;                  ///< 0: not measured yet.
  std::int64_t retransmissions = 0;    ///< So far.
};

/// One packet at one stop. Pointers are good during the call.
struct TraceEvent {
  TracePoint stop = TracePoint::Sent;
  Picos at;
  Picos waited;              ///< Since its stop before; 0 at its first.
  std::uint32_t group = 0;   ///< Of its flow: position among the traffic …
  std::uint32_t flow = 0;    ///< … and number in it.
  std::uint32_t end = 0;     ///< Of the connection: EndId of its sender, or of who reads.
  bool backward = false;     ///< From the server, or the receiver, to the other end.
  std::uint64_t packet = 0;  ///< A number that stays with it, from 1. Read: 0.
  std::uint32_t node = 0;
  std::uint16_t core = 0;
  std::uint32_t switch_number = 0;  ///< AtLeaf: of the rack. AtSpine: of the spine. From 0.
  bool on_node = false;     ///< Sent, Delivered, Read: there is no pod, but the node itself.
  std::uint32_t bytes = 0;  ///< Of the outermost IP packet; of several merged ones all. Read:
                            ///< of payload.
  const forward::Packet* header = nullptr;      ///< Null: Read, and a fragment that was never made.
  const transport::Segment* segment = nullptr;  ///< Null: no TCP.
  std::optional<SenderState> sender;            ///< Sent, of TCP.
  std::optional<Drop> drop;
};

/// Who wants to see the packets of some flows. Changes no result.
struct TraceOptions {
  std::function<bool(std::uint32_t group, std::uint32_t flow)> follows;
  std::function<void(const TraceEvent&)> see;
};

}  // namespace overlane::run
