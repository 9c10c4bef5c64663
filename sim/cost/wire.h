#pragma once

#include <cstdint>

namespace overlane::cost {

/// What joins the nodes of a network.
enum class Wire : std::uint8_t {
  Nic,   ///< A machine with a NIC under each.
  Veth,  ///< They are network namespaces of one machine, joined by veth pairs: they share its
         ///< cores, and between them there is no NIC, no interrupt and no latency.
};

}  // namespace overlane::cost
