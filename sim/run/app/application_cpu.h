#pragma once

#include <cstdint>

#include "sim/run/app/flow.h"
#include "sim/run/path/cpu.h"
#include "sim/transport/segment.h"

namespace overlane::run {

/// CPU time of applications and their system calls: sendmsg(), recvmsg(), connect(), accept(), the
/// wake-up of a sleeping reader, and the translation of a Service's address. It decides on which
/// core each of them runs and occupies that core (Cpu). The work of the kernel on packets is
/// charged by the stations (path/host_stack.h). All pay_…() functions require has_costs(). One
/// partition owns an ApplicationCpu and is its only user.
class ApplicationCpu {
 public:
  /// Referenced arguments must outlive this object.
  ApplicationCpu(const FlowTable& table, const cost::Services& services, Cpu& cpu,
                 const core::Scheduler& scheduler)
      : table_(table), services_(services), cpu_(cpu), scheduler_(scheduler) {}

  bool has_costs() const { return cpu_.has_costs(); }
  /// Whether the nodes are namespaces of one machine.
  bool is_shared() const { return cpu_.is_shared(); }
  std::uint32_t core_of(const Endpoint& end) const { return end.application_core(cpu_[end.node]); }
  /// Core that sends a packet: applications send on their own core, the kernel acknowledges on the
  /// core that receives. `segment` is null for a datagram.
  std::uint16_t sending_core(const Endpoint& end, const transport::Segment* segment) const {
    const bool receives = end.receive_core != Endpoint::kNoCore;
    if (segment != nullptr && (segment->is_pure_ack() || segment->rst) && receives)
      return end.receive_core;
    return static_cast<std::uint16_t>(core_of(end));
  }
  /// Time at which the application's core has sent all that the application wrote. An application
  /// that is not waiting for a packet continues at that time.
  Picos sending_done(const Endpoint& end) const {
    if (!has_costs()) return {};
    return cpu_[end.node].cores[core_of(end)].server.free_at();
  }
  /// Time that a core needs to go idle after the application's last read.
  Picos sleep(const Endpoint& end) const { return cpu_.costs(end.node).sleep(); }

  /// CPU time before a packet is sent: one system call per datagram or message (none per segment of
  /// a stream), and the translation of a Service's address. `segment` is null for a datagram.
  void pay_for_message(EndpointId id, const Endpoint& from, const transport::Segment* segment,
                       std::uint16_t core);
  /// CPU time of socket() and connect() of a client.
  void pay_for_connect(const Endpoint& client);
  /// Wakes the application. It reads `bytes` when its own core is free: the read enters
  /// Packets::arrive() at the end of that work.
  void pay_for_read(EndpointId id, Endpoint& end, std::int64_t bytes, Picos sent_at);

 private:
  Picos service_time(EndpointId id, bool is_new) const;

  const FlowTable& table_;
  const cost::Services& services_;
  Cpu& cpu_;
  const core::Scheduler& scheduler_;
};

}  // namespace overlane::run
