#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/app/application_cpu.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/app/exchanges.h"
#include "sim/run/app/flow.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The processes behind the sockets: each has turns, at which it sends, and reads what its socket
/// has received. A datagram sender follows its schedule (DatagramTimes); what clients and servers
/// of requests and transfers do is in Exchanges. Where CPU time has costs, a read waits for the
/// application's core, as for a process that the kernel wakes (sock_def_readable), and the process
/// sleeps after its last read. One partition owns an Applications and is its only user.
class Applications {
 public:
  /// Referenced arguments must outlive this object. Datagram senders send nothing at
  /// `datagrams_end` or later.
  Applications(FlowTable& table, Exchanges& exchanges, SocketSender& sender, EndpointTimers& timers,
               ApplicationCpu& cpu, PacketPath& path, const core::Scheduler& scheduler,
               Accounts& accounts, Picos datagrams_end);

  /// Starts the application of a client from the beginning, at the time of its first turn.
  void start(EndpointId client);
  /// Continues the application of a client on a new connection, at the time of its next turn.
  void resume(EndpointId client) { timers_.arm(client); }
  /// The client's application acts: it sends a datagram, or begins a request or a transfer.
  void take_turn(EndpointId id);
  /// The socket has received `bytes` for its application, in a packet sent at `sent_at`.
  [[gnu::always_inline]] void wake(EndpointId id, Endpoint& end, std::uint32_t group,
                                   std::int64_t bytes, Picos sent_at) {
    if (!cpu_.has_costs()) return consume(id, end, group, bytes, sent_at);
    cpu_.pay_for_read(id, end, bytes, sent_at);
  }
  /// A core has finished a read: the application acts on the payload, and sleeps if that was its
  /// last read.
  void finish_read(const Read& read);

 private:
  void consume(EndpointId id, Endpoint& end, std::uint32_t group, std::int64_t bytes,
               Picos sent_at);

  FlowTable& table_;
  Exchanges& exchanges_;
  SocketSender& sender_;
  EndpointTimers& timers_;
  ApplicationCpu& cpu_;
  PacketPath& path_;
  const core::Scheduler& scheduler_;
  Accounts& accounts_;
  Picos datagrams_end_;
  std::vector<DatagramTimes> times_;  ///< Schedule of each group; valid for UDP streams.
};

}  // namespace overlane::run
