#pragma once

#include <cstdint>

namespace overlane::cost {

/// How the nodes of a network are connected.
enum class Wire : std::uint8_t {
  Nic,     ///< Each node is a machine with a NIC.
  Veth,    ///< Nodes are network namespaces of one machine, connected by veth pairs: they share its
           ///< cores, and there is no NIC, interrupt or latency between them.
  Virtio,  ///< Each node is a virtual machine with a virtio NIC whose queues a thread of its
           ///< hypervisor serves (vhost). Buffers pass whole where the guest need not segment them.
};

}  // namespace overlane::cost
