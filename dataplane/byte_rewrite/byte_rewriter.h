#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "dataplane/byte_rewrite/rewrite_steps.h"
#include "dataplane/forward/outcome.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/runtime/reassembly.h"
#include "dataplane/node/state/node_state.h"

namespace overlane::byte_rewrite {

/// The bytes of the fragments that a node holds. Bounded as its node::ReassemblyTable is, whose
/// every step it is told: what that holds is held here, and nothing else.
class HeldBytes {
 public:
  /// Keeps a fragment of that packet: its header, and the data that the table counts.
  void hold(const node::ReassemblyKey& key, std::span<const std::uint8_t> fragment);

  /// The packet's first fragment; nothing when it is not there.
  std::span<const std::uint8_t> first(const node::ReassemblyKey& key) const;

  /// Writes what the first fragment has in front of its fragment header or data, and all data in
  /// order; the fields of a whole are left to make_whole(). Nothing without the first.
  void join(const node::ReassemblyKey& key, PacketBuffer& to) const;

  void forget(const node::ReassemblyKey& key);

  std::size_t fragments() const { return fragments_; }

 private:
  struct Fragment {
    std::uint32_t offset = 0;        ///< Offset of the fragment's data in the packet.
    std::uint32_t header_bytes = 0;  ///< In front of its data.
    std::vector<std::uint8_t> bytes;
  };
  using Fragments = std::vector<Fragment>;  ///< Sorted by offset.
  /// Memory that is kept for fragments to come.
  static constexpr std::size_t kSpares = 64;

  std::map<node::ReassemblyKey, Fragments> held_;
  std::vector<std::vector<std::uint8_t>> spares_;
  std::size_t fragments_ = 0;
};

// Applies the decisions of the model to real bytes: ByteRewriter is an Observer of
// forward::NodeDecision. Each decision changes the packet's buffer in step with its descriptor.
// It is the full path of the fast path (dataplane/dpdk) and of `overlane` traces with bytes.
// One object serves one packet; state, buffers and held bytes must outlive it.

/// A packet that leaves. Its bytes, from the outermost IP header on, last until the receiver
/// returns.
struct Sent {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;     ///< Next hop as in forward::Emission::next_hop.
  bool is_reply = false;  ///< The ICMP error that the packet caused.
  std::span<const std::uint8_t> bytes;
};

/// Type-erased reference to the handler of sent packets.
class Receiver {
 public:
  template <typename Handler>
  requires(!std::same_as<Handler, Receiver>) explicit Receiver(Handler& handler)
      : handler_(&handler),
        send_([](void* to, const Sent& sent) { static_cast<Handler*>(to)->sent(sent); }) {}
  void operator()(const Sent& sent) const { send_(handler_, sent); }

 private:
  void* handler_;
  void (*send_)(void*, const Sent&);
};

/// Memory that lives from packet to packet.
struct Buffers {
  /// A packet, or the ICMP error about it, on its way through the node …
  struct Way {
    PacketBuffer whole;
    PacketBuffer wrapped;  ///< … and what a tunnel device made of it, or of a fragment of it.
  };
  std::array<Way, 2> ways;
  PacketBuffer fragment;
};

/// An Observer of forward::NodeDecision that does to a packet's bytes what the decision does to its
/// descriptor, step by step, and sends what comes out.
class ByteRewriter {
 public:
  ByteRewriter(const node::NodeState& state, Buffers& buffers, HeldBytes& held, Receiver receiver)
      : state_(state), buffers_(buffers), held_(held), receiver_(receiver) {}

  /// Before the decision about a packet.
  void begin(std::span<const std::uint8_t> packet);
  /// Before the decision about one that lacks fragments, whose first was this: it is quoted as it
  /// came.
  void begin_lost(std::span<const std::uint8_t> first);

  /// Whether the bytes of a packet contradict its descriptor. Nothing of it was sent since.
  std::optional<Drop> fault() const { return faults_[0]; }

  /// Fragments that were held and became whole with the packet.
  std::size_t joined() const { return joined_; }

  /// The bytes that stand for the packet at hand, from the outermost header of the descriptor on.
  std::span<const std::uint8_t> bytes_of(const forward::Packet& packet) {
    return of(packet).bytes();
  }

  void admitted(const forward::Packet&, const node::RouteMatch&) {}
  void routed(const forward::Packet&, const node::RouteMatch&) {}
  void fragmented(const forward::Packet&, std::uint32_t, const node::RouteMatch&,
                  const node::Device*) {}
  void taken_apart(const forward::Packet&, std::size_t) {}
  std::optional<Drop> encapsulated(const forward::Packet& wrapped,
                                   const forward::Wrapping& wrapping);
  void decapsulated(const forward::Packet& packet, const node::Device& device,
                    const node::TunnelGuard*);
  void held(const forward::Packet& packet, const node::ReassemblyKey& key);
  void given_up(const node::ReassemblyKey& key) { held_.forget(key); }
  void reassembled(forward::Packet& packet, const node::ReassemblyKey& key);
  void translated(const forward::Packet& before, const forward::Packet& after,
                  const forward::Translation&);
  void answered(const forward::Packet& error, const forward::Packet& cause);
  void answer_ended() { answering_ = false; }
  void held_back(IpAddress) {}
  void emitted(forward::Egress egress, const forward::Packet& packet, IpAddress next_hop);
  void dropped(Drop, const forward::Packet&, const forward::DropCause&) {}

 private:
  Buffers::Way& way() { return buffers_.ways[answering_ ? 1 : 0]; }
  /// The buffer with the outermost header of the descriptor.
  PacketBuffer& of(const forward::Packet& packet);
  void fail(Drop reason) { faults_[answering_ ? 1 : 0] = reason; }

  const node::NodeState& state_;
  Buffers& buffers_;
  HeldBytes& held_;
  Receiver receiver_;
  bool answering_ = false;  ///< Whether the packet at hand is an ICMP error.
  bool is_lost_ =
      false;  ///< The packet at hand is the first fragment of a packet that was never completed.
  bool unwrapped_ = false;            ///< The packet at hand was decapsulated by this node.
  std::array<bool, 2> is_wrapped_{};  ///< Whether the packet of each way has an outer header.
  std::array<std::optional<Drop>, 2> faults_;
  std::size_t joined_ = 0;
};

}  // namespace overlane::byte_rewrite
