#pragma once

#include <cstdint>
#include <optional>

#include "sim/run/app/addresses.h"
#include "sim/run/app/application_cpu.h"
#include "sim/run/app/flow.h"
#include "sim/run/app/socket_sender.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/border.h"

namespace overlane::run {

// Applications that exchange requests or transfers, and the connections that they open.

/// Connection churn: the sockets of a client and its server when the client opens another TCP
/// connection. That happens for each request or transfer (Connections::PerRequest), after a timeout
/// or a failed connection, and when the client's pod starts again. The new connection takes the
/// oldest place in the flow's ring if that connection is closed at both ends, otherwise a new
/// place. Its source port is the next of the flow's share of the ephemeral range; a port in
/// TIME-WAIT is not available (__inet_hash_connect). ConnectionChurn opens no connection and sends
/// nothing: the caller does. One partition owns a ConnectionChurn and is its only user. Flows with
/// both endpoints in one partition only: otherwise it throws NeedsOnePartition.
class ConnectionChurn {
 public:
  /// Referenced arguments must outlive this object.
  ConnectionChurn(FlowTable& table, SocketHeaders& headers, const Network& network,
                  const States& states, const core::Scheduler& scheduler, const Border& border)
      : table_(table),
        headers_(headers),
        fronts_(network),
        states_(states),
        scheduler_(scheduler),
        border_(border) {}

  /// Closes the socket of an endpoint: its application gave it up, or its pod has stopped.
  void lose_socket(EndpointId id);
  /// Creates the next connection of a client, and returns its endpoint. If all source ports are in
  /// TIME-WAIT, the client has a turn when one is free.
  std::optional<EndpointId> reconnect(EndpointId client);
  /// Creates the next connection of a client, also if its source port is in TIME-WAIT.
  EndpointId replace(EndpointId client);
  /// The client's connection has finished: its source port is in TIME-WAIT from now on.
  void hold_port(EndpointId client);
  /// A client of datagrams sends to `server` from now on.
  void redirect(EndpointId client, const SocketAddresses& server);

 private:
  bool is_idle(EndpointId id);
  bool is_over(std::uint32_t connection);
  std::uint16_t next_port(std::uint32_t flow);
  EndpointId begin_next(std::uint32_t from, std::uint16_t port);
  std::uint32_t make_room_behind(std::uint32_t current);
  void begin(std::uint32_t from, std::uint32_t to, std::uint16_t port);

  FlowTable& table_;
  SocketHeaders& headers_;
  ServiceFronts fronts_;
  const States& states_;
  const core::Scheduler& scheduler_;
  const Border& border_;
};

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
