#include "dataplane/dpdk/testing/wired_node.h"

#include <gtest/gtest.h>

#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"

namespace overlane::dpdk::testing {

const std::vector<unsigned>& cores() {
  static const std::vector<unsigned> found = own_cores(2);
  return found;
}

Eal& eal() {
  static Eal started = [] {
    EalOptions options{.cores = cores(), .hugepages = false, .memory_mib = 1024};
    for (int i = 0; i < 28; ++i)
      options.devices.push_back("net_null" + std::to_string(i));
    return *Eal::start(options);
  }();
  return started;
}

namespace {

/// A protocol without ports and without a checksum over addresses.
constexpr std::uint8_t kProtocol = 99;

}  // namespace

std::unique_ptr<WiredNode> WiredNode::make(const std::string& name, const node::NodeState& state) {
  eal();
  std::unique_ptr<WiredNode> node(new WiredNode(*PacketPool::make(1023, 2048)));
  for (int i = 0; i < 2; ++i) {
    auto wire = RingWire::make(name + std::to_string(i), node->pool);
    EXPECT_TRUE(wire) << wire.error();
    auto port = Port::start(wire->device(), {}, 1500, node->pool);
    EXPECT_TRUE(port) << port.error();
    node->sides_.push_back(
        std::make_unique<Side>(std::move(*wire), std::move(*port), FarNeighbours{}));
  }
  const NodePorts ports{node->pods().port, node->uplink().port};
  node->forwarder = std::make_unique<Forwarder>(node->pool, ports, 32);
  auto made = generation(std::make_shared<const node::NodeState>(state));
  EXPECT_TRUE(made) << made.error();
  node->forwarder->replace(*made, node->now);
  return node;
}

void WiredNode::put(Side& side, std::span<const std::uint8_t> packet, const MacAddress& source) {
  EXPECT_TRUE(side.wire.put(wire::framed(packet, side.port.mac(), source)));
}

std::vector<Bytes> WiredNode::poll(Side& side) {
  while (forwarder->poll(now) > 0) {
  }
  return side.wire.take();
}

void WiredNode::pass(Picos time) {
  for (const Picos end = now + time; now < end;) {
    now = std::min(end, now + milliseconds(100));
    forwarder->poll(now);
    for (const auto& side : sides_)
      side->wire.take();
  }
}

std::vector<Bytes> WiredNode::answer(Side& side) {
  std::vector<Bytes> packets;
  for (bool asked = true; asked;) {
    asked = false;
    for (const Bytes& frame : poll(side)) {
      if (const auto answer = side.neighbours.answer(frame)) {
        asked = true;
        EXPECT_TRUE(side.wire.put(*answer));
      } else {
        packets.emplace_back(frame.begin() + wire::kEthernetBytes, frame.end());
      }
    }
  }
  return packets;
}

Bytes packet(IpAddress source, IpAddress destination, std::size_t bytes) {
  return wire::ip_packet({.source = source, .destination = destination, .protocol = kProtocol},
                         bytes);
}

}  // namespace overlane::dpdk::testing
