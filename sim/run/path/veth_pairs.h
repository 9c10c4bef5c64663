#pragma once

#include <cstdint>
#include <vector>

#include "sim/run/path/fabric_path.h"
#include "sim/run/path/host_stack.h"

namespace overlane::run {

/// Veth pairs between nodes that are namespaces of one machine, in place of NICs and fabric links.
/// A packet enters the backlog of the core that sent it. The core handles it in the receiving node
/// when its work in the sending node is done (do_softirq at the end of the system call).
class VethPairs {
 public:
  /// Referenced arguments must outlive this object.
  VethPairs(const Network& network, Decisions& decisions, Packets& packets, Cpu& cpu,
            HostStack& stack, FabricPath& fabric);

  /// A packet leaves its node and enters the pair.
  void enter(PacketId id);
  /// A core handles the packets that came through pairs.
  void run_backlog(std::uint32_t node, std::uint16_t core);
  /// An application goes to sleep, which takes `time` of its core. The packets that it has sent
  /// pass the pairs before.
  void idle(std::uint32_t node, std::uint32_t core, Picos time);

  /// Packets that came through pairs.
  struct Backlog {
    Pipe ring;
    std::uint32_t waiting = 0;
    bool is_due = false;  ///< A Backlog event is pending.
    Picos behind;         ///< Work of the core after that.
  };
  const Backlog& backlog(std::uint16_t core) const { return backlogs_[core]; }
  std::uint32_t fullest_backlog() const;
  void stop(std::uint32_t node, std::vector<PacketId>& lost);

 private:
  void take(PacketId id);

  const Network& network_;
  Decisions& decisions_;
  Packets& packets_;
  Cpu& cpu_;
  HostStack& stack_;
  FabricPath& fabric_;
  std::vector<Backlog> backlogs_;  ///< One for each core of the machine.
};

}  // namespace overlane::run
