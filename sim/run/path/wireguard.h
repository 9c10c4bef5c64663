#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/path/cpu.h"

namespace overlane::run {

/// WireGuard's pipeline on each node. The packets of a peer are encrypted and decrypted on all
/// cores, each packet on the next core (wg_cpumask_next_online), and one core hands them on in
/// order (wg_packet_tx_worker on the peer's core, wg_packet_rx_poll). Its events are Crypted, and
/// CoreDone of the core that hands on. One partition owns a WireGuard and is its only user.
class WireGuard {
 public:
  /// Referenced arguments must outlive this object.
  WireGuard(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu);

  /// A core has finished the work before the cipher.
  void crypt(PacketId id);
  /// The cipher has finished a packet whose turn it is: its peer's core works on it.
  void crypted(std::uint32_t node, std::uint16_t core);
  /// The peer's core has finished with the packet.
  void leave(PacketId id) {
    Packet& packet = packets_[id];
    packet.in_order = false;
    nodes_[packet.node].peers[packet.core].waiting -= packet.packets;
  }

  /// Packets::due() for packets whose turn has come.
  PacketId due(std::uint32_t node, std::uint16_t core) const {
    return packets_.due(nodes_[node].peers[core].pipe);
  }
  void stop(std::uint32_t node, std::vector<PacketId>& lost);

 private:
  /// Packets of the peers that one core serves.
  struct PeerQueue {
    Pipe pipe;
    Picos last;                 ///< Time when the cipher is done with the last of them.
    std::uint32_t waiting = 0;  ///< Includes packets that the core has not handed on yet.
  };
  struct OfNode {
    std::vector<PeerQueue> peers;   ///< One per core.
    std::uint32_t last_cipher = 0;  ///< Core that the cipher used last.
  };
  Picos run_cipher(const Packet& packet);

  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  std::vector<OfNode> nodes_;
};

}  // namespace overlane::run
