#pragma once

#include "dataplane/dpdk/io/eal.h"
#include "tools/fastpath/node_subject.h"
#include "tools/fastpath/signals.h"

namespace overlane::fastpath {

struct ForwardOptions {
  SubjectOptions subject;
  command::OutputOptions output;
  std::string pods;  ///< Devices, as in EalOptions::devices.
  std::string uplink;
  std::string host;  ///< May be empty.
  std::uint16_t burst = 32;
  std::uint32_t buffers = 16'383;
  Picos report_every;                       ///< 0: only at the end and on request.
  Picos run_for;                            ///< 0: until stopped.
  Picos idle;                               ///< How long to sleep when no packet came.
  dpdk::EalOptions eal{.memory_mib = 512};  ///< Including the cores, the main one first.
};

/// Forwards according to `state` until a signal, the time limit, or the loss of a port.
command::ExitCode run_forwarding(const ForwardOptions& options,
                                 std::shared_ptr<const node::NodeState> state,
                                 const Signals& signals);

}  // namespace overlane::fastpath
