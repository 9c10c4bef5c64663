#include "dataplane/net/byte_order.h"
#include "dataplane/reference/ip_bytes.h"
#include "dataplane/reference/linear_tables.h"
#include "dataplane/reference/reference.h"

namespace overlane::reference {
namespace {

bool passes_check(const node::Instance& instance, IpAddress address) {
  if (!instance.source_destination_check) return true;
  for (const IpAddress own : instance.addresses) {
    if (own == address) return true;
  }
  for (const IpPrefix& prefix : instance.prefixes) {
    if (prefix.contains(address)) return true;
  }
  for (const IpPrefix& prefix : instance.allowed) {
    if (prefix.contains(address)) return true;
  }
  return false;
}

bool in_group(const node::FabricState& fabric, std::uint32_t instance, std::uint32_t group) {
  if (fabric.groups[group].every_instance) return true;
  for (const std::uint32_t own : fabric.instances[instance].groups) {
    if (own == group) return true;
  }
  return false;
}

bool sender_matches(const node::FabricState& fabric, std::uint32_t group,
                    const node::FabricRule& rule, std::uint32_t from, IpAddress source) {
  if (rule.source == node::RuleSource::GroupInterfaces) return in_group(fabric, from, group);
  std::vector<IpPrefix> sources;
  if (rule.source == node::RuleSource::Networks) sources = rule.networks;
  const bool pairs = rule.source == node::RuleSource::GroupAddresses;
  if (pairs || rule.source == node::RuleSource::GroupFixedAddresses) {
    for (std::uint32_t i = 0; i < fabric.instances.size(); ++i) {
      if (!in_group(fabric, i, group)) continue;
      const node::Instance& member = fabric.instances[i];
      for (const IpAddress own : member.addresses)
        sources.push_back(IpPrefix::host(own));
      if (pairs) sources.insert(sources.end(), member.allowed.begin(), member.allowed.end());
    }
  }
  for (const IpPrefix& prefix : sources) {
    if (prefix.contains(source)) return true;
  }
  return false;
}

template <typename Range, typename Matches>
bool empty_or_any(const Range& range, Matches matches) {
  for (const auto& item : range) {
    if (matches(item)) return true;
  }
  return range.empty();
}

FlowKey flow_of(const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  FlowKey flow{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  const bool has_ports = header.protocol == forward::kTcp || header.protocol == forward::kUdp;
  const std::size_t at = payload_at(packet);
  if (has_ports && header.fragment_offset == 0 && packet.size() >= at + 4) {
    flow.source_port = load_be16(packet.data() + at);
    flow.destination_port = load_be16(packet.data() + at + 2);
  }
  return flow;
}

FlowKey reversed(const FlowKey& flow) {
  return {flow.destination, flow.source, flow.destination_port, flow.source_port, flow.protocol};
}

/// Whether a deny rule of the fabric drops the packet.
bool is_denied(const node::FabricState& fabric, const Bytes& packet) {
  const forward::IpFields header = header_of(packet);
  const std::size_t at = payload_at(packet);
  const bool shows_transport = header.fragment_offset == 0 && packet.size() >= at + 4;
  const auto byte = [&](std::size_t i) { return shows_transport ? int{packet[at + i]} : -1; };
  for (const node::DenyRule& rule : fabric.denied) {
    bool denied = !rule.disabled && rule.protocol == header.protocol;
    if (rule.port) {
      const bool has_ports = header.protocol == 6 || header.protocol == 17;
      denied = denied && has_ports && byte(2) * 256 + byte(3) == int{*rule.port};
    }
    if (rule.icmp_type) denied = denied && header.is_icmp() && byte(0) == int{*rule.icmp_type};
    if (rule.icmp_code) denied = denied && header.is_icmp() && byte(1) == int{*rule.icmp_code};
    if (denied) return true;
  }
  return false;
}

/// The flow of the packet that an ICMP error quotes.
std::optional<FlowKey> quoted_flow(const Bytes& packet) {
  if (!header_of(packet).is_icmp()) return std::nullopt;
  const auto error = decode(packet, {}).icmp;
  if (!error) return std::nullopt;
  const std::uint8_t protocol = error->quoted_protocol;
  if (protocol != 6 && protocol != 17) {
    return FlowKey{.source = error->quoted_source,
                   .destination = error->quoted_destination,
                   .protocol = protocol};
  }
  return FlowKey{error->quoted_source, error->quoted_destination, error->quoted_source_port,
                 error->quoted_destination_port, protocol};
}

/// Whether the security groups of instance `to` admit a packet of this flow from instance `from`.
/// An instance without a group admits all.
bool lets_in(const node::FabricState& fabric, std::uint32_t from, std::uint32_t to,
             const FlowKey& flow) {
  bool open = true;
  for (std::uint32_t group = 0; group < fabric.groups.size(); ++group) {
    if (!in_group(fabric, to, group)) continue;
    open = false;
    for (const node::FabricRule& rule : fabric.groups[group].rules) {
      const bool protocol_fits =
          empty_or_any(rule.protocols, [&](std::uint8_t p) { return p == flow.protocol; });
      const bool port_fits = empty_or_any(rule.ports, [&](node::PortRange r) {
        return r.first <= flow.destination_port && flow.destination_port <= r.last;
      });
      if (protocol_fits && port_fits && sender_matches(fabric, group, rule, from, flow.source)) {
        return true;
      }
    }
  }
  return open;
}

/// The fabric of the byte path: handles the bytes of one packet from instance `from`. Set `packet`,
/// call run(), and read the results.
class ByteFabric {
 public:
  ByteFabric(const node::FabricState& fabric, std::uint32_t from, node::FabricRuntime* runtime,
             Picos now, const FabricIndex* index)
      : fabric_(fabric), from_(from), runtime_(runtime), now_(now), index_(index) {}

  Bytes packet;
  std::optional<Bytes> reply;
  std::optional<Bytes> denied_reply;
  std::optional<Drop> drop;
  std::uint32_t instance = 0;
  std::uint8_t hops = 0;

  void run(IpAddress next_hop) {
    const forward::IpFields header = header_of(packet);
    if (!has_link_address(next_hop)) {
      drop = Drop::NoNeighbour;
      return;
    }
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
    if (is_denied(fabric_, packet)) {
      drop = Drop::FabricPacketFilter;
      return;
    }
    if (!takes_fragment(header)) {
      drop = Drop::FabricFragment;
      return;
    }
    if (packet.size() > fabric_.mtu) return does_not_fit(header, fabric_.mtu, false);
    if (!find_receiver(header, next_hop)) return;
    const node::FabricPathMtu& path = fabric_.path_mtu;
    const std::uint32_t most = zone(from_) == zone(instance) ? path.within_zone : path.across_zones;
    if (most != 0 && packet.size() > most) return does_not_fit(header, most, path.silent);
    cross_subnets();
    if (!drop && !passes_check(fabric_.instances[instance], header.destination)) {
      drop = Drop::FabricDestinationCheck;
    }
    if (!drop) filter();
  }

 private:
  bool has_link_address(IpAddress next_hop) const {
    if (fabric_.link_layer_answers == node::LinkLayerAnswers::AllAddresses) return true;
    for (const IpPrefix& cidr : fabric_.subnets[fabric_.instances[from_].subnet].cidrs) {
      if (cidr.contains(next_hop)) return true;
    }
    return !next_hop.is_ipv4() && (next_hop.high >> 48 & 0xffc0) == 0xfe80;
  }

  /// A second implementation of node::zone_of(), which the fast executors use.
  const std::string& zone(std::uint32_t of) const {
    const std::string& of_subnet = fabric_.subnets[fabric_.instances[of].subnet].zone;
    return of_subnet.empty() ? fabric_.instances[of].zone : of_subnet;
  }

  void does_not_fit(const forward::IpFields& header, std::uint32_t mtu, bool silent) {
    if (!silent && !header.is_ipv4()) reply_with(2, 0, mtu);
    if (!silent && header.is_ipv4() && header.dont_fragment) reply_with(3, 4, mtu);
    drop = Drop::FabricMtuExceeded;
  }

  bool find_receiver(const forward::IpFields& header, IpAddress next_hop) {
    if (fabric_.honours_next_hop) {
      const auto neighbour = find_instance(fabric_, next_hop, index_);
      if (neighbour && fabric_.instances[*neighbour].subnet == fabric_.instances[from_].subnet) {
        instance = *neighbour;
        return true;
      }
    }
    const node::FabricRoute* route = find_route(fabric_, from_, header.destination, index_);
    if (route != nullptr && route->target == node::FabricTarget::Instance) {
      instance = route->instance;
      return true;
    }
    const auto owner = find_instance(fabric_, header.destination, index_);
    if (route != nullptr && route->target == node::FabricTarget::Local && owner) {
      instance = *owner;
      return true;
    }
    const bool out = route != nullptr && route->target == node::FabricTarget::Internet;
    if (out && fabric_.egress_mtu != 0 && packet.size() > fabric_.egress_mtu && goes_out(header)) {
      does_not_fit(header, fabric_.egress_mtu, false);
      return false;
    }
    const bool gone = route != nullptr && route->target == node::FabricTarget::Blackhole;
    drop = gone ? Drop::FabricBlackhole : Drop::FabricNoRoute;
    if (route != nullptr && route->target == node::FabricTarget::Foreign)
      drop = Drop::FabricForeignInstance;
    return false;
  }

  /// True for a packet to an address on the Internet that must not be fragmented: IPv6, or IPv4
  /// with DF from an address of the sender's instance.
  bool goes_out(const forward::IpFields& header) const {
    static const auto kInside = [] {
      std::vector<IpPrefix> ranges;
      for (const char* range : {"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
                                "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16", "224.0.0.0/3"})
        ranges.push_back(IpPrefix::parse(range).value());
      return ranges;
    }();
    if (!header.is_ipv4()) {
      return IpPrefix::parse("2000::/3")->contains(header.destination) ||
             IpPrefix::parse("64:ff9b::/96")->contains(header.destination);
    }
    for (const IpPrefix& range : kInside) {
      if (range.contains(header.destination)) return false;
    }
    for (const IpAddress own : fabric_.instances[from_].addresses) {
      if (own == header.source) return header.dont_fragment;
    }
    return false;
  }

  void cross_subnets() {
    if (fabric_.instances[instance].subnet == fabric_.instances[from_].subnet) return;
    const Bytes as_sent = packet;
    for (std::uint8_t hop = 0; hop < fabric_.decrementing_hops; ++hop) {
      const forward::IpFields header = header_of(packet);
      if (header.ttl <= 1) {
        packet = as_sent;
        reply_with(header.is_ipv4() ? 11 : 3, 0, 0);
        drop = Drop::FabricTtlExpired;
        return;
      }
      packet = with_ttl(packet, static_cast<std::uint8_t>(header.ttl - 1));
    }
    hops = fabric_.decrementing_hops;
  }

  void filter() {
    const FlowKey flow = flow_of(packet);
    const bool admitted = lets_in(fabric_, from_, instance, flow);
    const FlowKey answer = reversed(flow);
    if (admitted && runtime_ != nullptr && !lets_in(fabric_, instance, from_, answer)) {
      runtime_->answers.expect(answer, now_);
    }
    if (admitted) return;
    const auto quoted = quoted_flow(packet);
    const FlowKey expected = quoted ? reversed(*quoted) : flow;
    if (runtime_ == nullptr || !runtime_->answers.expects(expected, now_)) {
      drop = Drop::FabricPacketFilter;
    }
  }

  bool takes_fragment(const forward::IpFields& header) {
    const bool fragment = header.more_fragments || header.fragment_offset != 0;
    if (!fabric_.drops_disordered_fragments || !fragment || runtime_ == nullptr) return true;
    node::FragmentRange range{.begin = header.fragment_offset, .last = !header.more_fragments};
    range.end = static_cast<std::uint32_t>(range.begin + packet.size() - payload_at(packet));
    return runtime_->fragments.in_order(
        {header.source, header.destination, header.identification, header.protocol}, range, now_);
  }

  void reply_with(std::uint8_t type, std::uint8_t code, std::uint32_t mtu) {
    const std::uint32_t subnet = fabric_.instances[from_].subnet;
    const IpAddress sender = header_of(packet).source;
    for (const IpPrefix& cidr : fabric_.subnets[subnet].cidrs) {
      if (cidr.is_ipv4() != sender.is_ipv4()) continue;
      reply = icmp_about(packet, type, code, mtu, cidr.network() + 1);
    }
    if (reply && is_denied(fabric_, *reply)) denied_reply = std::exchange(reply, std::nullopt);
  }

  const node::FabricState& fabric_;
  std::uint32_t from_;
  node::FabricRuntime* runtime_;
  Picos now_;
  const FabricIndex* index_;
};

}  // namespace

forward::FabricOutcome forward(const node::FabricState& fabric, const forward::Packet& packet,
                               std::uint32_t from, IpAddress next_hop, node::FabricRuntime* runtime,
                               Picos now, TableIndices* indices) {
  ByteFabric bytes(fabric, from, runtime, now, indices == nullptr ? nullptr : indices->of(fabric));
  bytes.packet = encode(packet);
  bytes.run(next_hop);
  // A fabric does not recognise tunnels. decode() gets the packet's own port, so that the
  // comparison covers the inner packet too.
  node::TunnelPorts ports;
  if (packet.encapsulation == Encapsulation::Vxlan) ports.vxlan = {packet.outer_destination_port};
  if (packet.encapsulation == Encapsulation::Geneve) ports.geneve = {packet.outer_destination_port};
  if (packet.encapsulation == Encapsulation::Wireguard)
    ports.wireguard = {packet.outer_destination_port};
  forward::FabricOutcome outcome{
      .drop = bytes.drop, .instance = bytes.instance, .hops = bytes.hops};
  outcome.packet = decode(bytes.packet, ports);
  if (bytes.reply) outcome.reply = decode(*bytes.reply, {});
  if (bytes.denied_reply) outcome.denied_reply = decode(*bytes.denied_reply, {});
  return outcome;
}

}  // namespace overlane::reference
