#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/linear_tables.h"
#include "dataplane/reference/reference.h"

namespace overlane::reference {
namespace {

bool passes_check(const node::Instance& instance, IpAddress address) {
  if (!instance.source_destination_check || instance.address == address) return true;
  for (const IpPrefix& prefix : instance.allowed) {
    if (prefix.contains(address)) return true;
  }
  return false;
}

class ByteFabric {
 public:
  ByteFabric(const node::FabricState& fabric, std::uint32_t from) : fabric_(fabric), from_(from) {}

  Bytes packet;
  std::optional<Bytes> reply;
  std::optional<Drop> drop;
  std::uint32_t instance = 0;
  std::uint8_t hops = 0;

  void run(IpAddress next_hop) {
    const wire::Ipv4Header header = header_of(packet);
    if (!passes_check(fabric_.instances[from_], header.source)) {
      drop = Drop::FabricSourceCheck;
      return;
    }
    for (const std::uint8_t protocol : fabric_.dropped_protocols) {
      if (protocol == header.protocol) {
        drop = Drop::FabricProtocolFilter;
        return;
      }
    }
    if (packet.size() > fabric_.mtu) {
      if (header.dont_fragment) reply_with(3, 4, static_cast<std::uint16_t>(fabric_.mtu));
      drop = Drop::FabricMtuExceeded;
      return;
    }
    if (!find_receiver(header, next_hop)) return;
    cross_subnets();
    if (!drop && !passes_check(fabric_.instances[instance], header.destination)) {
      drop = Drop::FabricDestinationCheck;
    }
  }

 private:
  bool find_receiver(const wire::Ipv4Header& header, IpAddress next_hop) {
    const auto neighbour = find_instance(fabric_, next_hop);
    if (fabric_.honours_next_hop && neighbour &&
        fabric_.instances[*neighbour].subnet == fabric_.instances[from_].subnet) {
      instance = *neighbour;
      return true;
    }
    const node::FabricRoute* route = find_route(fabric_, from_, header.destination);
    if (route != nullptr && route->target == node::FabricTarget::Instance) {
      instance = route->instance;
      return true;
    }
    const auto owner = find_instance(fabric_, header.destination);
    if (route != nullptr && route->target == node::FabricTarget::Local && owner) {
      instance = *owner;
      return true;
    }
    const bool gone = route != nullptr && route->target == node::FabricTarget::Blackhole;
    drop = gone ? Drop::FabricBlackhole : Drop::FabricNoRoute;
    return false;
  }

  void cross_subnets() {
    if (fabric_.instances[instance].subnet == fabric_.instances[from_].subnet) return;
    const Bytes as_sent = packet;
    for (std::uint8_t hop = 0; hop < fabric_.decrementing_hops; ++hop) {
      wire::Ipv4Header header = header_of(packet);
      if (header.ttl <= 1) {
        packet = as_sent;
        reply_with(11, 0, 0);
        drop = Drop::FabricTtlExpired;
        return;
      }
      --header.ttl;
      packet = with_header(packet, header);
    }
    hops = fabric_.decrementing_hops;
  }

  void reply_with(std::uint8_t type, std::uint8_t code, std::uint16_t mtu) {
    const std::uint32_t subnet = fabric_.instances[from_].subnet;
    const IpAddress router = fabric_.subnets[subnet].cidr.network() + 1;
    reply = icmp_about(packet, type, code, mtu, router);
  }

  const node::FabricState& fabric_;
  std::uint32_t from_;
};

}  // namespace

forward::FabricOutcome forward(const node::FabricState& fabric, const forward::Packet& packet,
                               std::uint32_t from, IpAddress next_hop) {
  ByteFabric bytes(fabric, from);
  bytes.packet = encode(packet);
  bytes.run(next_hop);
  const std::vector<std::uint16_t> ports{packet.outer_destination_port};
  const bool tunnelled = packet.is_encapsulated();
  forward::FabricOutcome outcome{
      .drop = bytes.drop, .instance = bytes.instance, .hops = bytes.hops};
  outcome.packet = decode(bytes.packet, tunnelled ? ports : std::vector<std::uint16_t>{});
  if (bytes.reply) outcome.reply = decode(*bytes.reply, {});
  return outcome;
}

}  // namespace overlane::reference
