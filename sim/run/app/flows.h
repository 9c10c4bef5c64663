#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/node/runtime/reassembly.h"
#include "sim/run/app/addresses.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/app/flow.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// The applications and sockets in the pods and on the nodes: makes packets, takes them, and
/// measures what the applications get.
class Flows {
 public:
  /// Clients of udp groups send nothing at `datagrams_end` or later. Keeps references. Of `table`,
  /// which all partitions have in common, it touches the ends whose node is not beyond `border`.
  Flows(const std::vector<TrafficGroup>& traffic, FlowTable& table, SocketTable sockets,
        Picos datagrams_end, core::Scheduler& scheduler, Accounts& accounts, PacketPath& path,
        const Border& border);

  /// Schedules the start of every flow of this partition.
  void start();

  /// A packet has come to its socket, or a read is complete.
  void arrive(PacketId id);
  void timer(EndpointId id);
  void expiry(EndpointId id);
  /// Has the processor fetch what timer() looks at first.
  [[gnu::always_inline]] void prefetch(EndpointId id) const {
    core::prefetch(&flows_[id / 2]);
    core::prefetch(&end(id));
    if (!decisions_.prefetch_cached(id)) sockets_.prefetch(id);
  }
  /// The same of arrive(), for a packet of `sender`.
  [[gnu::always_inline]] void prefetch_receiver(EndpointId sender) const {
    core::prefetch(&end(sender ^ 1));
  }
  void left_host(EndpointId id, std::uint32_t bytes);

  /// Ends, as of the flows that the run began with, by what a change of the states means to them.
  struct AffectedEndpoints {
    std::vector<EndpointId> silenced;  ///< They were talking, and hear nothing from now on.
    std::vector<EndpointId> heard;     ///< They may hear something again.
    std::vector<EndpointId> back;      ///< Their pods are made again, unless they have ended since.
  };
  /// The states have changed: what must be decided anew for the next packet of a flow goes through
  /// the byte path. Ends whose node or pod is gone fall silent.
  void stop(const node::WorldChange& change, AffectedEndpoints& affected);
  /// Those that are back start again. All partitions have stopped theirs.
  void start(AffectedEndpoints& affected);

  const Flow& flow_of(EndpointId id) const { return flows_[id / 2]; }
  const Endpoint& end(EndpointId id) const { return table_.end(id); }
  /// Null where the end has no connection.
  const TcpSocket* tcp_of(EndpointId id) const {
    return end(id).is_tcp ? table_.tcp[id].get() : nullptr;
  }
  bool is_on_node(EndpointId id) const { return group(id).is_on_node(id % 2 == 1); }
  /// Packets that nodes have sent themselves, without a veth.
  std::int64_t sent_by_nodes() const;
  /// Datagrams that clients of each udp group have sent; 0 for other groups.
  std::vector<std::int64_t> datagrams_by_group() const;

  /// The flow that a connection counts as: its first connection.
  std::uint32_t origin_of(std::uint32_t connection) const {
    return exchanges_.empty() ? connection : exchanges_[connection].origin;
  }
  /// The connection that the application of a flow uses, or used last.
  std::uint32_t newest_of(std::uint32_t flow) const {
    return exchanges_.empty() ? flow : exchanges_[flow].newest;
  }
  /// Of a connection that asks for something; else null.
  const Exchange* exchange_of(std::uint32_t connection) const {
    return exchanges_.empty() ? nullptr : &exchanges_[connection];
  }

  /// As many as it was made with: of each flow its first connection.
  std::span<const Flow> all() const { return std::span(flows_).first(flow_count_); }

 private:
  Flow& flow(EndpointId id) { return flows_[id / 2]; }
  Exchange& exchange(EndpointId id) { return exchanges_[id / 2]; }
  Endpoint& end(EndpointId id) { return table_.end(id); }
  /// Of an end that has a connection.
  TcpSocket& tcp(EndpointId id) { return *table_.tcp[id]; }
  /// Of an end that is no server of datagrams.
  Timers& timers(EndpointId id) { return end(id).is_tcp ? tcp(id).timers : flows_[id / 2].timers; }
  /// Whether its application may act by itself: a server of datagrams only answers.
  bool has_turn(EndpointId id) { return end(id).is_tcp || id % 2 == 0; }
  const node::NodeState& state_of(const Endpoint& end) const {
    return decisions_.states().nodes()[end.node];
  }
  const TrafficGroup& group(EndpointId id) const { return traffic_[flows_[id / 2].group]; }

  void take_turn(EndpointId id);
  /// Of what a UDP socket has sent, bytes that its buffer still holds.
  std::int32_t held(EndpointId id, const Endpoint& end) const;
  void send_datagram(EndpointId id, std::uint32_t payload);
  Picos service_time(EndpointId id, bool is_new) const;
  void pay_for_message(EndpointId id, const Endpoint& from, const transport::Segment* segment,
                       std::uint16_t core);
  /// Where CPU time costs something.
  const cost::PathCosts& costs_at(EndpointId id) const { return cpu_.costs(end(id).node); }
  std::uint16_t sending_core(const Endpoint& end, const transport::Segment* segment) const;
  Picos sending_done(const Endpoint& end) const;
  void hand_over(EndpointId id);
  void deliver(PacketId id);
  bool accept(PacketId id, EndpointId receiver);
  void answer_to(EndpointId id, const forward::Packet& packet);
  /// What is left of a packet at its socket.
  struct Received {
    Picos sent_at;
    std::uint32_t group = 0;
    std::uint32_t length = 0;  ///< IP bytes.
  };
  void receive_datagram(Received packet, EndpointId id, Endpoint& end);
  void receive_segment(Received packet, const transport::Segment& segment, EndpointId id);
  void receive_icmp(const forward::Packet& packet, EndpointId id);
  /// The whole packet, if `flight` completes it in this pod; else the fragment is kept.
  bool reassemble(PacketId id, EndpointId receiver);
  void to_application(EndpointId id, Endpoint& end, std::int64_t bytes, Received packet);
  void finish_read(EndpointId id, std::int64_t bytes, Picos sent_at);
  std::uint32_t application_core(const Endpoint& end) const {
    return end.application_core(cpu_[end.node]);
  }
  void consume(EndpointId id, Endpoint& end, std::uint32_t group, std::int64_t bytes,
               Picos sent_at);
  void serve_requests(EndpointId id);
  void serve_datagram(EndpointId id);

  // flows_exchange.cpp: requests and transfers, and connections for them.
  void ask(EndpointId id);
  void write_first(EndpointId client);
  void finish_transfer(EndpointId server);
  void finish_exchange(EndpointId client);
  void give_up(EndpointId client);
  std::optional<Picos> pause(EndpointId client);
  std::optional<EndpointId> reconnect(EndpointId client);
  bool is_idle(EndpointId id);
  bool is_over(std::uint32_t connection);
  std::uint32_t make_room_behind(std::uint32_t current);
  void begin_connection(std::uint32_t from, std::uint32_t to, std::uint16_t port);
  bool is_stray(PacketId id, EndpointId receiver) const;
  void change_headers(EndpointId id);
  void lose_socket(EndpointId id);
  EndpointId begin_next_connection(std::uint32_t from, std::uint16_t port);
  std::uint16_t next_port(std::uint32_t flow);

  // flows_restart.cpp: pods that end and are made again, of this partition.
  std::vector<EndpointId> ends_at(const node::PodPlace& place);
  std::vector<EndpointId> ends_on(std::uint32_t node);
  void index_ends();
  bool is_there(EndpointId first) const;
  void stop(EndpointId first, bool with_node, AffectedEndpoints& affected);
  void start(EndpointId first, AffectedEndpoints& affected);
  node::PodPlace place_of(EndpointId id) const { return {end(id).node, sockets_[id].address}; }
  std::uint32_t next_in_circle(std::uint32_t connection) const {
    return exchanges_.empty() ? connection : exchanges_[connection].next;
  }
  void renew_at(EndpointId first, const node::PodPlace& now);
  void move_place(EndpointId first, const node::PodPlace& now);
  void move(EndpointId id, const node::PodPlace& now);
  void send_to(const SocketAddresses& server, EndpointId client);
  void give_mtu(EndpointId first);
  void start_application(std::uint32_t origin);
  void refuse(PacketId id, EndpointId receiver);

  void pump(EndpointId id);
  void arm(EndpointId id);
  void give_back(EndpointId id);
  void send(EndpointId id, const transport::Segment* segment, std::uint32_t ip_bytes,
            bool dont_fragment, cost::Arrival arrival = cost::Arrival::Alone);

  const std::vector<TrafficGroup>& traffic_;
  // Of each flow, and behind these, of the other connections in their circles.
  FlowTable& table_;
  std::vector<Flow>& flows_;          ///< FlowTable::flows
  std::vector<Exchange>& exchanges_;  ///< FlowTable::exchanges
  SocketTable sockets_;               ///< Of others' ends, as when the run began.
  std::size_t flow_count_;
  Picos datagrams_end_;
  core::Scheduler& scheduler_;
  Accounts& accounts_;
  PacketPath& path_;
  const Border& border_;
  Packets& packets_;
  Decisions& decisions_;
  Cpu& cpu_;
  std::vector<DatagramTimes> times_;    ///< Of each group; used if it is UDP.
  std::vector<EphemeralPorts>& ports_;  ///< FlowTable::ports
  ServiceFronts fronts_;
  SendingTurns turns_;             ///< On the cores that nodes have in common.
  std::uint32_t state_epoch_ = 0;  ///< How often the states were changed, modulo 128.
  std::map<EndpointId, node::ReassemblyTable> reassembly_;
  /// Where this partition's ends of the flows that the run began with are; filled when first asked.
  std::multimap<node::PodPlace, EndpointId> places_;
};

/// The MTU of the path to the socket's peer, as the socket on this node knows it, bytes.
std::uint32_t mtu_of(const node::NodeState& state, const SocketAddresses& socket, bool on_node);

/// Where a flow's client sends to: `server`, wherever that is by now, or the Service in front of
/// it.
node::Endpoint asked_by(const TrafficGroup& group, const ServiceFronts& fronts, const Flow& flow,
                        const SocketAddresses& server);

/// The flows of `traffic` on `network`, numbered through all groups, with their random ports; each
/// client's first turn is when it starts.
FlowTable make_flows(const Network& network, const std::vector<TrafficGroup>& traffic,
                     const RunOptions& options);

}  // namespace overlane::run
