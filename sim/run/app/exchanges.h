#pragma once

#include <optional>

#include "sim/run/app/application_cpu.h"
#include "sim/run/app/connection_churn.h"
#include "sim/run/app/endpoint_timers.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/packet/accounts.h"

namespace overlane::run {

/// Requests and transfers between applications, as Exchange records them: a client that sends one
/// request at a time and waits for its response (over TCP or as datagrams), and a sender that
/// writes one transfer after the other or an endless stream. The client of a closed loop thinks,
/// asks, and gives up after a timeout; the server answers each request that it has read completely.
/// Measures the time of each request or transfer. Calls ConnectionChurn for another connection and
/// SocketSender to send. One partition owns an Exchanges and is its only user.
class Exchanges {
 public:
  /// Referenced arguments must outlive this object.
  Exchanges(FlowTable& table, ConnectionChurn& churn, SocketSender& sender, EndpointTimers& timers,
            ApplicationCpu& cpu, const core::Scheduler& scheduler, Accounts& accounts)
      : table_(table),
        churn_(churn),
        sender_(sender),
        timers_(timers),
        cpu_(cpu),
        scheduler_(scheduler),
        accounts_(accounts) {}

  /// The client's application begins a request or a transfer.
  void ask(EndpointId client);
  /// connect() has returned if the connection is established: the client writes.
  void write_first(EndpointId client);
  /// The application of an endpoint has read from its TCP socket.
  void see_stream_read(EndpointId id);
  /// The application of an endpoint has read a request or a response that is a datagram.
  void see_datagram_read(EndpointId id);
  /// The connection of a client has failed; does nothing for a server. A client that keeps its
  /// connection opens another at once; others try again with their next request.
  void give_up(EndpointId client);

 private:
  void finish_transfer(EndpointId server);
  void serve_requests(EndpointId id);
  void finish(EndpointId client);
  std::optional<Picos> pause(EndpointId client);

  FlowTable& table_;
  ConnectionChurn& churn_;
  SocketSender& sender_;
  EndpointTimers& timers_;
  ApplicationCpu& cpu_;
  const core::Scheduler& scheduler_;
  Accounts& accounts_;
};

}  // namespace overlane::run
