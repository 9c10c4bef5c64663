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

// Applies the decisions of the model to real bytes. ByteRewriter is an Observer of
// forward::NodeDecision: each decision changes the packet's buffer in step with its descriptor. The
// fast path (dataplane/dpdk) and `overlane` traces with bytes use it as their full path. One object
// serves one packet; state, buffers and held bytes must outlive it.

/// The bytes of the fragments that a node holds. It follows every change of the node's
/// node::ReassemblyTable and holds exactly the same fragments, so it is bounded by the same limit.
class HeldBytes {
 public:
  /// Keeps a fragment of that packet: its headers and its data.
  void hold(const node::ReassemblyKey& key, std::span<const std::uint8_t> fragment);

  /// Returns the packet's first fragment; empty if it has not come.
  std::span<const std::uint8_t> first(const node::ReassemblyKey& key) const;

  /// Writes the headers of the first fragment, without its fragment header, and the data of all
  /// fragments in order. make_whole() then sets the header fields. Leaves `to` empty without the
  /// first fragment.
  void join(const node::ReassemblyKey& key, PacketBuffer& to) const;

  void forget(const node::ReassemblyKey& key);

  std::size_t fragments() const { return fragments_; }

 private:
  struct Fragment {
    std::uint32_t offset = 0;        ///< Offset of the fragment's data in the packet.
    std::uint32_t header_bytes = 0;  ///< Bytes in front of the fragment's data.
    std::vector<std::uint8_t> bytes;
  };
  using Fragments = std::vector<Fragment>;  ///< Sorted by offset.
  /// Maximum number of spare buffers for later fragments.
  static constexpr std::size_t kSpares = 64;

  std::map<node::ReassemblyKey, Fragments> held_;
  std::vector<std::vector<std::uint8_t>> spares_;
  std::size_t fragments_ = 0;
};

/// A packet that leaves. Its bytes begin with the outermost IP header and are valid until the
/// receiver returns.
struct Sent {
  forward::Egress egress = forward::Egress::Uplink;
  IpAddress next_hop;     ///< Next hop as in forward::Emission::next_hop.
  bool is_reply = false;  ///< True for the ICMP error that the packet caused.
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

/// Memory that is reused from packet to packet.
struct Buffers {
  /// A packet on its path through the node, or the ICMP error about it.
  struct PathBuffers {
    PacketBuffer whole;
    PacketBuffer wrapped;  ///< The packet, or a fragment of it, after encapsulation.
  };
  std::array<PathBuffers, 2> paths;
  PacketBuffer fragment;
};

/// An Observer that repeats each decision about a descriptor on the packet's bytes, and sends the
/// emissions.
class ByteRewriter {
 public:
  ByteRewriter(const node::NodeState& state, Buffers& buffers, HeldBytes& held, Receiver receiver)
      : state_(state), buffers_(buffers), held_(held), receiver_(receiver) {}

  /// Starts with a packet, before the decision about it.
  void begin(std::span<const std::uint8_t> packet);
  /// Starts with the first fragment of a packet whose reassembly has timed out. The ICMP error
  /// quotes the fragment as it came.
  void begin_lost(std::span<const std::uint8_t> first);

  /// Returns a drop reason if the bytes of the packet contradict its descriptor. Nothing is sent
  /// after that.
  std::optional<Drop> fault() const { return faults_[0]; }

  /// Returns the number of held fragments that were reassembled with the packet.
  std::size_t joined() const { return joined_; }

  /// Returns the bytes of the current packet, from the outermost header of the descriptor on.
  std::span<const std::uint8_t> bytes_of(const forward::Packet& packet) {
    return of(packet).bytes();
  }

  void admitted(const forward::Packet&, const node::RouteMatch&) {}
  void routed(const forward::Packet&, const node::RouteMatch&) {}
  void fragmented(const forward::Packet&, std::uint32_t, const node::RouteMatch&,
                  const node::Device*) {}
  void refragmented(const forward::Packet&, std::size_t) {}
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
  Buffers::PathBuffers& path() { return buffers_.paths[answering_ ? 1 : 0]; }
  /// Returns the buffer that begins with the outermost header of the descriptor.
  PacketBuffer& of(const forward::Packet& packet);
  void fail(Drop reason) { faults_[answering_ ? 1 : 0] = reason; }

  const node::NodeState& state_;
  Buffers& buffers_;
  HeldBytes& held_;
  Receiver receiver_;
  bool answering_ = false;  ///< True while the current packet is an ICMP error.
  bool is_lost_ =
      /// True if the current packet is the first fragment of a packet whose reassembly has timed
      /// out.
      false;
  bool unwrapped_ = false;  ///< True if this node has decapsulated the current packet.
  /// For the packet and for the ICMP error: true if it has an outer header.
  std::array<bool, 2> is_wrapped_{};
  std::array<std::optional<Drop>, 2> faults_;
  std::size_t joined_ = 0;
};

}  // namespace overlane::byte_rewrite
