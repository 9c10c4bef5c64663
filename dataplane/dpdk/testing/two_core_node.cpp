#include "dataplane/dpdk/testing/two_core_node.h"

#include <gtest/gtest.h>

#include "dataplane/dpdk/testing/wired_node.h"
#include "dataplane/neighbour/address_kind.h"
#include "dataplane/wire/ethernet.h"

namespace overlane::dpdk::testing {
namespace {

using forward::Egress;
using forward::Ingress;

constexpr std::uint32_t kBuffers = 16'383;
constexpr std::uint16_t kBurst = 32;

}  // namespace

std::unique_ptr<TwoCoreNode> TwoCoreNode::make(const std::string& name) {
  eal();
  std::unique_ptr<TwoCoreNode> node(new TwoCoreNode(*PacketPool::make(kBuffers, 2048)));
  const Queues queues = WorkerTeam::queues(2);
  for (const Egress egress : {Egress::Pod, Egress::Uplink}) {
    auto wire = RingWire::make(name + (egress == Egress::Pod ? "-p" : "-u"), node->pool, queues);
    EXPECT_TRUE(wire) << wire.error();
    auto port = Port::start(wire->device(), queues, 1500, node->pool);
    EXPECT_TRUE(port) << port.error();
    node->places_.push_back(
        std::make_unique<Place>(egress, std::move(*wire), std::move(*port), FarNeighbours{}));
  }
  const NodePorts ports{node->places_[0]->port, node->places_[1]->port};
  auto team = WorkerTeam::make(ports, {cores()[1]}, kBurst);
  EXPECT_TRUE(team) << team.error();
  node->forwarder = std::make_unique<Forwarder>(node->pool, ports, kBurst, std::move(*team));
  return node;
}

bool TwoCoreNode::put(Ingress ingress, std::span<const std::uint8_t> packet) {
  Place& place = *places_[ingress == Ingress::Pod ? 0 : 1];
  const IpAddress source = neighbour::source_of(packet).value();
  const bool there =
      place.wire.put(wire::framed(packet, place.port.mac(), place.neighbours.mac_of(source)));
  put_ += there;
  return there;
}

std::vector<LeftFrame> TwoCoreNode::poll() {
  forwarder->poll(now);
  std::vector<LeftFrame> left;
  for (const auto& place : places_) {
    for (const std::vector<std::uint8_t>& frame : place->wire.take()) {
      if (const auto answer = place->neighbours.answer(frame)) {
        put_ += place->wire.put(*answer);
        continue;
      }
      const auto header = wire::parse_ethernet(frame);
      const auto next_hop = place->neighbours.with(header->destination);
      EXPECT_TRUE(next_hop) << "a frame to " << header->destination.to_string();
      EXPECT_EQ(header->source, place->port.mac());
      if (!next_hop) continue;
      left.push_back(
          {place->egress, *next_hop, {frame.begin() + wire::kEthernetBytes, frame.end()}});
    }
  }
  return left;
}

}  // namespace overlane::dpdk::testing
