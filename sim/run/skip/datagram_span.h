#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/fabric/limits.h"
#include "sim/random/stream.h"
#include "sim/run/app/datagram_turns.h"
#include "sim/run/app/flows.h"
#include "sim/run/packet/accounts.h"
#include "sim/run/path/packet_path.h"

namespace overlane::run {

/// Thrown when a span turns out to need events after all. The run then starts again and leaves none
/// out.
struct NeedsAllEvents {
  const char* reason;  ///< Text for SkipFacts::none_because.
};

/// A flow of datagrams that a DatagramSpan takes over.
struct SettledFlow {
  EndpointId client = 0;
  std::uint32_t from = 0;  ///< Node of the client.
  std::uint32_t ip_bytes = 0;
  Decisions::SettledWay way;
  Picos nic_time;   ///< Time of a datagram on the link of the sender's NIC.
  Picos port_time;  ///< Time on the link to the receiver's NIC.
  FabricPath::CapUse cap;
  Picos next;                ///< Time of the next datagram when the span ends.
  std::int64_t checked = 0;  ///< Datagrams of this span that went through the byte path.
};

/// Datagrams of paced flows, computed without events during a span of simulated time in which
/// nothing else touches their stations: each NIC and each port serves in arrival order, so the time
/// at which a datagram leaves it follows from the datagram before. The span draws the same random
/// numbers in the same order as the events would, counts what they would count, and sends the same
/// sample through the byte path: all results are equal, not similar.
///
/// Time advances in slices. In a slice, each node sends its datagrams in the order of their times
/// and puts them into the lists of the ports where they will arrive; then each port receives all
/// that it has received by the end of the slice. begin() takes the flows, NICs and ports out of the
/// event loop, finish() gives them back as they would be at that time, packets in flight included.
/// One partition owns a DatagramSpan and is its only user.
class DatagramSpan {
 public:
  /// Referenced arguments must outlive this object. `times`: schedules by traffic group.
  DatagramSpan(Flows& flows, const std::vector<DatagramTimes>& times, PacketPath& path,
               Accounts& accounts);

  /// Takes over `flows` at `now`; all events before `now` have happened, and none of theirs will.
  /// Requires for the whole span: no state changes, no queue overflows, no cap delays a datagram,
  /// and no other packet comes to the nodes of these flows.
  void begin(Picos now, std::vector<SettledFlow> flows);
  /// Advances to `end`, which is not before position().
  void run_until(Picos end);
  /// Returns everything to the event loop at position(). `is_end`: the run ends there.
  void finish(bool is_end);

  bool is_running() const { return !settled_.empty(); }
  Picos position() const { return position_; }
  /// Datagrams that all spans have sent so far.
  std::int64_t datagrams() const { return datagrams_; }
  /// A good length of slices: the lists of arrivals stay in the cache, and are short to sort.
  Picos slice() const { return slice_; }

 private:
  /// The properties that datagrams of many flows share, and their number in the current slice.
  struct Kind {
    const Pace* pace = nullptr;
    std::uint64_t lateness = 0;  ///< Datagrams are late by fewer picoseconds.
    Picos nic_time;
    Picos port_time;
    Picos latency;  ///< Delay of the fabric, without jitter.
    std::uint32_t group = 0;
    std::uint32_t ip_bytes = 0;
    std::uint32_t payload = 0;
    std::uint16_t way = kWithinZone;
    bool to_pod = true;  ///< The last link is a veth pair.
    std::int64_t sent = 0;
    std::int64_t received = 0;

    bool operator==(const Kind&) const = default;
  };
  static constexpr std::size_t kMaxKinds = 256;
  /// The sending side of a flow: one cache line, so that a datagram touches no other one of it.
  struct alignas(64) Sending {
    PacedTime last;
    RandomStream random;
    Picos last_sent;              ///< Time of its last datagram in this span.
    std::uint32_t packets = 0;    ///< Endpoint::packets
    std::uint32_t port : 24 = 0;  ///< Index in ports_.
    std::uint32_t kind : 8 = 0;   ///< Index in kinds_.
  };
  static_assert(sizeof(Sending) == 64);
  /// The receiving side of a flow.
  struct Receiving {
    Picos last;              ///< When the last datagram was received; 0: none.
    std::uint32_t kind = 0;  ///< Index in kinds_.
  };
  /// When a flow sends its next datagram.
  struct Turn {
    Picos at;
    std::uint32_t flow = 0;
    EndpointId client = 0;
  };
  /// A node with flows: its NIC, and its paths into the fabric.
  struct Sender {
    std::uint32_t node = 0;
    std::uint32_t first = 0;  ///< First of its flows.
    std::uint32_t end = 0;
    std::uint32_t next_turn = 0;  ///< The first of its turns: a ring from `first` to `end`.
    Picos free_at;                ///< When the NIC has sent all.
    Picos work;                   ///< Time that the NIC has been busy in this span.
    std::uint32_t last_flow = kNone;
    RandomStream jitter;
    std::array<Picos, 2> last_arrival;  ///< By kind of path.
  };
  struct PortState {
    std::uint32_t node = 0;
    bool has_flows = false;
    std::uint32_t kind = kNone;  ///< Kind of all flows to the port; kNone: they differ.
    Picos free_at;
    Picos work;
  };
  /// Datagrams that arrive at a port within a part of the slice, in no order.
  struct List {
    std::uint32_t begin = 0;  ///< In entries_.
    std::uint32_t count = 0;
    std::uint32_t room = 0;
  };
  /// Parts of a slice. A node sends for a whole slice, so that its flows stay in the cache; a port
  /// receives part by part, so that few datagrams must be sorted. The list after those of all parts
  /// has the datagrams that arrive after the slice.
  static constexpr std::uint32_t kParts = 4;
  /// A datagram on its path to a port.
  struct Entry {
    Picos at;  ///< Arrival at the port.
    /// From the application's call until `at`, in picoseconds; with kSampled.
    std::uint32_t since_sent = 0;
    std::uint32_t flow = 0;  ///< Index of its flow, or kPacket + PacketId.
  };
  static_assert(sizeof(Entry) == 16);
  static constexpr std::uint32_t kPacket = 1u << 31;
  /// The datagram is in the sample; its flow has gone through the byte path in this span.
  static constexpr std::uint32_t kSampled = 1u << 31;
  /// A key of an entry to sort by: its time, and in the lower bits its place in the list of a port.
  static constexpr int kPlaceBits = 6;
  static constexpr std::uint32_t kMaxPlaces = 1u << kPlaceBits;

  struct Pushed {
    List* list = nullptr;
    Entry entry;
  };
  static constexpr std::size_t kPushedLater = 32;

  void add_flows();
  void add_senders();
  void take_ports();
  void send_all(Picos end);
  void send(Sender& sender);
  void queue(Sender& sender, const Turn& turn);
  void cross(Sender& sender, const Turn& turn, const Kind& kind, std::uint32_t port,
             bool is_sampled);
  void prefetch(const Sender& sender) const;
  /// Datagrams of one time are sent in the order of their endpoints.
  bool is_earlier(const Turn& a, const Turn& b) const {
    if (a.at != b.at) [[likely]]
      return a.at < b.at;
    return a.client < b.client;
  }
  void receive_all(Picos end);
  void receive(std::uint32_t part, std::uint32_t port, Picos end);
  void receive_sorted(std::uint32_t part, std::uint32_t port, Picos end);
  bool receive(PortState& port, const Entry& entry, Picos end);
  bool receive_packet(PortState& port, const Entry& entry, Picos end);
  List& list(std::uint32_t part, std::uint32_t port) { return lists_[part * ports_.size() + port]; }
  List& list_at(std::uint32_t port, Picos at);
  void push(List& list, const Entry& entry);
  void push_later(List& list, const Entry& entry);
  void push_all();
  void put_off(std::uint32_t part, std::uint32_t port);
  void take_up(std::uint32_t port);
  void make_room(List& list);
  void sort(const List& list);
  bool comes_before(const Entry& a, const Entry& b) const;
  std::uint32_t node_of(const Entry& entry) const;
  std::uint32_t kind_of(const SettledFlow& flow);
  PacketId make_packet(std::uint32_t flow, Picos sent, std::uint16_t identification);
  PacketId decide(std::uint32_t flow, Picos sent, Picos left);
  void check(Entry& entry, const Turn& turn, Picos left);
  void record_latencies(std::uint32_t next_group);
  void count_slice();
  std::int64_t count_in_nics();
  void return_flows();
  void return_ports();

  FlowTable& table_;
  const std::vector<DatagramTimes>& times_;
  PacketPath& path_;
  Flows& flows_;
  Accounts& accounts_;

  Picos position_;
  Picos slice_;
  std::int64_t datagrams_ = 0;
  std::uint64_t jitter_ = 0;          ///< Largest jitter of the fabric; 0: none.
  bool has_caps_ = false;             ///< The fabric has caps on flows.
  std::vector<SettledFlow> settled_;  ///< By sending node.
  std::vector<Sending> sending_;      ///< By flow, as in settled_.
  std::vector<Receiving> receiving_;  ///< By flow.
  std::vector<Kind> kinds_;
  std::vector<Sender> senders_;
  std::vector<PortState> ports_;
  std::vector<List> lists_;             ///< By part, then by port.
  int part_bits_ = 0;                   ///< Binary logarithm of a part's length in picoseconds.
  std::vector<Entry> entries_;          ///< Room for each list.
  std::vector<std::uint32_t> flow_of_;  ///< By client / 2: index of the flow, or kNone.
  std::array<Pushed, kPushedLater> pushed_;  ///< A ring of the last datagrams of push_later().
  std::size_t next_pushed_ = 0;
  std::vector<Entry> taken_up_;          ///< A buffer of take_up().
  std::vector<std::int64_t> latencies_;  ///< Not recorded yet, nanoseconds.
  std::uint32_t latency_group_ = 0;      ///< The traffic group of latencies_.
  std::vector<Turn> turns_;              ///< The next turn of each flow, by node.
};

}  // namespace overlane::run
