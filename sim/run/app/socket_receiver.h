#pragma once

#include <cstdint>
#include <map>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/run/app/applications.h"
#include "sim/run/app/exchanges.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// Reassembly of IP fragments in the network namespaces of pods (ip_defrag, nf_ct_frag6_gather),
/// one table per receiving endpoint. Fragments that arrive first are held as packets
/// (HeldFragments) until their packet is complete or expires. Nodes have their own tables
/// (NodeRuntime). One partition owns a PodReassembly and is its only user.
class PodReassembly {
 public:
  /// The referenced argument must outlive this object.
  explicit PodReassembly(PacketPath& path) : path_(path) {}

  /// Adds a fragment. Returns whether it completes its packet; otherwise it is held or dropped.
  bool add(PacketId fragment, EndpointId receiver);
  /// The oldest fragments of an endpoint have expired.
  void expire(EndpointId receiver);
  /// The pod of an endpoint has stopped: drops its fragments.
  void stop(EndpointId receiver);

 private:
  PacketPath& path_;
  std::map<EndpointId, node::ReassemblyTable> tables_;
};

/// The receiving half of sockets (udp_rcv, tcp_v4_rcv, icmp_rcv). A packet must match its socket's
/// address and ports, and fragments must be complete; then a datagram enters the receive buffer or
/// is dropped (UDP RcvbufErrors), a segment goes to the TCP connection, and "fragmentation needed"
/// or "packet too big" lowers the path MTU. The application is woken for new payload
/// (Applications::wake). SocketReceiver counts each packet as delivered or dropped. One partition
/// owns a SocketReceiver and is its only user.
class SocketReceiver {
 public:
  /// Referenced arguments must outlive this object.
  SocketReceiver(FlowTable& table, SocketHeaders& headers, Applications& applications,
                 Exchanges& exchanges, SocketSender& sender, PacketPath& path, Accounts& accounts)
      : table_(table),
        headers_(headers),
        applications_(applications),
        exchanges_(exchanges),
        sender_(sender),
        path_(path),
        accounts_(accounts),
        reassembly_(path) {}

  /// A packet has arrived at its socket. Removes it.
  void receive(PacketId id);
  /// Reassembly in the pods of the receivers.
  PodReassembly& reassembly() { return reassembly_; }

 private:
  /// Fields of a packet that its socket needs after the packet is removed.
  struct Received {
    Picos sent_at;
    std::uint32_t group = 0;
    std::uint32_t length = 0;  ///< IP bytes.
  };
  bool accept(PacketId id, EndpointId receiver);
  bool is_stray(PacketId id, EndpointId receiver) const;
  void refuse(PacketId id, EndpointId receiver);
  void receive_datagram(Received packet, EndpointId id, Endpoint& end);
  void receive_segment(Received packet, const transport::Segment& segment, EndpointId id);
  void receive_icmp(const forward::Packet& packet, EndpointId id);

  FlowTable& table_;
  SocketHeaders& headers_;
  Applications& applications_;
  Exchanges& exchanges_;
  SocketSender& sender_;
  PacketPath& path_;
  Accounts& accounts_;
  PodReassembly reassembly_;
};

}  // namespace overlane::run
