#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataplane/kernel/traffic/other_program.h"
#include "dataplane/net/address.h"
#include "results/model/run_environment.h"

namespace overlane::testbed {

/// The fast path as an executor: the program `overlane-fastpath`. It needs neither the nodes of a
/// measurement nor their kernels.
struct FastPath {
  std::string program;              ///< Path of the program, or its name.
  std::vector<std::string> inputs;  ///< Manifests or the Scenario that is measured.
  model::Hugepages hugepages;  ///< Huge pages of this machine. If there are too few, the program
                               ///< uses ordinary memory.
};

/// The datagrams between pods that the fast path forwards.
struct FastPathLoad {
  std::string encapsulation;  ///< "none", "ipip", "vxlan", "geneve".
  std::uint32_t payload_bytes = 0;
  Family family = Family::Ipv4;
  std::uint32_t flows = 1;
  std::uint32_t peers = 1;  ///< Number of nodes to which the datagrams go.
};

/// Measures the maximum rate at which the fast path forwards such datagrams with one core, in the
/// role of the sending node and in the role of the receiving node. The value is the payload rate,
/// in bit/s, of the slower role.
///
/// Fails with the reason: the program is not installed, it does not measure such datagrams, or it
/// ended with an error.
Parsed<kernel::OtherFigure> forward_with_fast_path(const FastPath& fast_path,
                                                   const FastPathLoad& load);

}  // namespace overlane::testbed
