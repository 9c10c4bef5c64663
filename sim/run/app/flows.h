#pragma once

#include <vector>

#include "sim/core/prefetch.h"
#include "sim/run/app/application_cpu.h"
#include "sim/run/app/applications.h"
#include "sim/run/app/exchanges.h"
#include "sim/run/app/flow.h"
#include "sim/run/app/pod_restarts.h"
#include "sim/run/app/socket_receiver.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The endpoints of one partition: it owns the parts that act on the FlowTable, and handles the
/// events that the partition has for endpoints. Each part calls only parts below it:
///
///   Flows             events: timers, packets and reads that arrive, packets that left their host
///   PodRestarts       endpoints that stop and start with nodes and pods
///   SocketReceiver    packet to socket: address check, reassembly, TCP, ICMP errors
///   Applications      turns and reads of the processes; datagram senders
///   Exchanges         requests and transfers of clients and servers
///   PodReassembly     IP fragments in pods
///   ConnectionChurn   the next connection of a client, source ports
///   SocketSender      datagrams and segments to packets, send buffers
///   ApplicationCpu    CPU time of system calls and reads
///   EndpointTimers    Timer events
///   SocketHeaders     addresses and ports of sockets
///   FlowTable         the data, shared by all partitions
///
/// Below SocketSender, PacketPath takes the packets; it calls no part, but leaves arrivals and
/// departures in Packets, from where Partition::follow_packets() brings them here. The partition
/// owns a Flows and is its only user.
class Flows {
 public:
  /// Referenced arguments must outlive this object. Datagram senders send nothing at
  /// `datagrams_end` or later. `sockets` are the addresses of all endpoints. Of `table`, which all
  /// partitions share, Flows changes the endpoints whose node is not beyond `border`.
  Flows(FlowTable& table, SocketTable sockets, Picos datagrams_end, core::Scheduler& scheduler,
        Accounts& accounts, PacketPath& path, const Border& border);
  Flows(const Flows&) = delete;
  Flows& operator=(const Flows&) = delete;

  /// Schedules the first turn of every client of this partition.
  void start();

  /// A packet has arrived at its socket, or the core of an application has finished a read.
  void arrive(PacketId id);
  /// A Timer event of an endpoint happens.
  void timer(EndpointId id);
  /// An EndpointExpiry event of an endpoint happens.
  void expiry(EndpointId id) { receiver_.reassembly().expire(id); }
  void left_host(EndpointId id, std::uint32_t bytes) { sender_.left_host(id, bytes); }

  /// Prefetches the cache lines that timer() reads first.
  [[gnu::always_inline]] void prefetch(EndpointId id) const {
    core::prefetch(&table_.flows[id / 2]);
    core::prefetch(&table_.end(id));
    headers_.prefetch(id);
  }
  /// Prefetches the cache line that arrive() reads first for a packet of `sender`.
  [[gnu::always_inline]] void prefetch_receiver(EndpointId sender) const {
    core::prefetch(&table_.end(sender ^ 1));
  }

  const FlowTable& table() const { return table_; }
  FlowTable& table() { return table_; }
  /// SocketHeaders::state_epoch()
  std::uint8_t state_epoch() const { return headers_.state_epoch(); }
  /// Takes back the next turn of a client of datagrams. Its pending Timer event does nothing.
  void suspend(EndpointId client) {
    table_.timers(client).turn = table_.timers(client).armed = transport::kNever;
  }
  /// Gives a client its next turn, after suspend().
  void resume(EndpointId client, Picos turn) {
    table_.timers(client).turn = turn;
    timers_.arm(client);
  }
  /// Undoes suspend() before the time of the pending Timer event.
  void unsuspend(EndpointId client, Picos turn) {
    table_.timers(client).turn = table_.timers(client).armed = turn;
  }
  PodRestarts& restarts() { return restarts_; }

 private:
  FlowTable& table_;
  core::Scheduler& scheduler_;
  PacketPath& path_;
  const Border& border_;
  SocketHeaders headers_;
  EndpointTimers timers_;
  ApplicationCpu cpu_;
  SocketSender sender_;
  ConnectionChurn churn_;
  Exchanges exchanges_;
  Applications applications_;
  SocketReceiver receiver_;
  PodRestarts restarts_;
};

}  // namespace overlane::run
