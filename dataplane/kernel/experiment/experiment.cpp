#include "dataplane/kernel/experiment/experiment.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/packet_port.h"
#include "dataplane/kernel/namespaces/network_namespace.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/net/byte_order.h"
#include "dataplane/net/checksum.h"
#include "dataplane/node/state/node_state.h"
#include "dataplane/reference/packet_bytes.h"
#include "dataplane/wire/ethernet.h"
#include "dataplane/wire/ip.h"
#include "dataplane/wire/tunnel_headers.h"

namespace overlane::kernel {

using std::chrono::milliseconds;
using wire::kEthernetBytes;

namespace {

/// Time without a packet after which an injection ends. The kernel forwards before send() returns,
/// unless it leaves the work to ksoftirqd.
constexpr milliseconds kQuiet{10};

struct OpenPort {
  Port port;
  PacketPort socket;
};

/// The node's namespace, the world namespace, and sockets in both.
class NodeNamespaces {
 public:
  static Parsed<NodeNamespaces> make(const Experiment& experiment) {
    auto node = NetworkNamespace::make();
    if (!node) return fail(node.error());
    auto world = make_silent_namespace();
    if (!world) return fail(world.error());
    if (auto done = run_commands(experiment.set_up.commands, *node, *world); !done) {
      return fail(done.error());
    }
    auto local = LocalSockets::open(*node, experiment.tunnel_ports);
    if (!local) return fail(local.error());
    NodeNamespaces namespaces(experiment, std::move(*node), std::move(*world), std::move(*local));
    if (auto done = namespaces.open_ports(); !done) return fail(done.error());
    if (auto done = namespaces.listen(); !done) return fail(done.error());
    return namespaces;
  }

  std::vector<Observed> run() {
    std::vector<Observed> all;
    for (const Injection& injection : experiment_->injections) {
      // Packets that arrived too late belong to the previous injection, unless a timer sent them.
      if (!all.empty() && injection.wait_ms == 0) take_waiting(all.back());
      const Counters before = read_counters(node_);
      Observed observed;
      std::this_thread::sleep_for(milliseconds(injection.wait_ms));
      if (auto sent = send(injection); !sent) observed.refused = sent.error();
      const auto take = [&] {
        take_waiting(observed);
        return observed.emitted.size();
      };
      collect(fds(), injection.expected, kQuiet, take);
      const bool is_lost = !injection.packet.empty() && injection.expected == 0;
      observed.counters =
          changed_counters(before, is_lost ? settled(before) : read_counters(node_));
      all.push_back(std::move(observed));
    }
    for (Observed& observed : all)
      std::ranges::stable_sort(observed.emitted, {}, [this](const Emitted& e) { return rank(e); });
    return all;
  }

 private:
  NodeNamespaces(const Experiment& experiment, NetworkNamespace node, NetworkNamespace world,
                 LocalSockets local)
      : experiment_(&experiment),
        node_(std::move(node)),
        world_(std::move(world)),
        local_(std::move(local)) {}

  Result<void, std::string> open_ports() {
    for (const Port& port : experiment_->set_up.ports) {
      auto socket = PacketPort::open(world_, port.device);
      if (!socket) return fail(socket.error());
      ports_.push_back({port, std::move(*socket)});
    }
    for (const Port& port : experiment_->set_up.ports) {
      for (const NetworkNamespace* end : {&node_, &world_}) {
        if (auto done = make_ready(*end, port.device); !done) return done;
      }
    }
    return {};
  }

  Result<void, std::string> listen() {
    std::set<std::uint16_t> udp_ports;
    for (const Injection& injection : experiment_->injections)
      udp_ports.insert(injection.udp_listener);
    udp_ports.erase(0);
    for (const std::uint16_t port : udp_ports) {
      if (auto done = local_.listen(node_, port); !done) return done;
    }
    return {};
  }

  Result<void, std::string> send(const Injection& injection) const {
    if (injection.packet.empty()) return {};
    if (injection.ingress == forward::Ingress::Host) return local_.send(injection.packet);
    const auto wanted =
        injection.ingress == forward::Ingress::Pod ? forward::Egress::Pod : forward::Egress::Uplink;
    for (const OpenPort& open : ports_) {
      if (open.port.egress != wanted) continue;
      if (!injection.device.empty() && open.port.device != injection.device) continue;
      return open.socket.send(open.port.node_mac, injection.packet);
    }
    return fail(fmt::format("the node has no device \"{}\" for it", injection.device));
  }

  std::vector<int> fds() const {
    std::vector<int> all = local_.fds();
    for (const OpenPort& open : ports_)
      all.push_back(open.socket.fd());
    return all;
  }

  /// The counters after a packet that should not leave the node. Only a changed counter shows that
  /// a busy kernel, which left the packet to ksoftirqd, has processed it.
  Counters settled(const Counters& before) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    Counters last = before;
    while (true) {
      const Counters now = read_counters(node_);
      const bool is_done = has_input(before, now) && now == last;
      if (is_done || std::chrono::steady_clock::now() > end) return now;
      last = now;
      std::this_thread::sleep_for(kQuiet);
    }
  }

  void take_waiting(Observed& observed) {
    for (const OpenPort& open : ports_) {
      while (auto frame = open.socket.receive()) {
        observed.emitted.push_back({open.port.egress, open.port.device,
                                    next_hop(open.port.device, frame->destination),
                                    std::move(frame->packet)});
      }
    }
    while (auto packet = local_.receive())
      observed.emitted.push_back({forward::Egress::Host, "", {}, std::move(*packet)});
  }

  std::optional<IpAddress> next_hop(const std::string& device, const MacAddress& mac) const {
    for (const Neighbour& neighbour : experiment_->set_up.neighbours) {
      if (neighbour.device == device && neighbour.mac == mac) return neighbour.address;
    }
    return std::nullopt;
  }

  /// Position of the port through which the packet left.
  std::size_t rank(const Emitted& emitted) const {
    const auto at = std::ranges::find(ports_, emitted.device,
                                      [](const OpenPort& open) { return open.port.device; });
    return static_cast<std::size_t>(at - ports_.begin());
  }

  const Experiment* experiment_;
  NetworkNamespace node_;
  NetworkNamespace world_;
  LocalSockets local_;
  std::vector<OpenPort> ports_;
};

using Bytes = std::vector<std::uint8_t>;

/// Writes the link-layer address that the VXLAN or Geneve device of a node uses towards pods of a
/// family.
void write_mac(const node::NodeState& state, IpAddress owner, Family pods, Bytes::iterator to) {
  const node::Member* member = state.cluster->with_node_address(owner);
  const auto* addresses = member == nullptr ? nullptr : member->in(pods);
  if (addresses != nullptr) std::ranges::copy(addresses->vtep_mac.bytes, to);
}

/// The bytes of a fragment of a tunnel packet: its own header and its part of the whole packet,
/// whose checksum covers the whole.
Bytes fragment_bytes(const node::NodeState& state, const forward::Packet& fragment) {
  forward::Packet whole = fragment;
  whole.outer.fragment_offset = 0;
  whole.outer.more_fragments = false;
  whole.outer.total_length = fragment.wrapped_bytes();
  const Bytes all = wire_bytes(state, whole);
  Bytes bytes = reference::encode(fragment);
  const std::size_t header = fragment.outer.header_bytes();
  const std::size_t from = whole.outer.header_bytes() + fragment.outer.fragment_offset;
  const std::size_t count =
      std::min(bytes.size() - header, all.size() - std::min(from, all.size()));
  std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), count,
              bytes.begin() + static_cast<std::ptrdiff_t>(header));
  return bytes;
}

/// Writes the outer UDP checksum, which covers the inner frame.
void sum_outer_udp(const forward::IpFields& outer, Bytes& bytes) {
  const std::span<std::uint8_t> segment = std::span(bytes).subspan(outer.header_bytes());
  store_be16(segment.data() + 6, 0);
  const std::uint16_t sum =
      transport_checksum(outer.source, outer.destination, forward::kUdp, segment);
  store_be16(segment.data() + 6, sum == 0 ? 0xffff : sum);
}

}  // namespace

Experiment make_experiment(const node::NodeState& state, std::vector<Injection> injections,
                           std::span<const IpAddress> more_neighbours) {
  return {.set_up = set_up(state, more_neighbours),
          .tunnel_ports = node::tunnel_ports(state).all(),
          .injections = std::move(injections)};
}

Parsed<std::vector<Observed>> run(const Experiment& experiment) {
  auto namespaces = NodeNamespaces::make(experiment);
  if (!namespaces) return fail(namespaces.error());
  return namespaces->run();
}

std::vector<std::uint8_t> wire_bytes(const node::NodeState& state, const forward::Packet& packet) {
  if (packet.is_encapsulated() && packet.outer.is_fragment()) return fragment_bytes(state, packet);
  Bytes bytes = reference::encode(packet);
  const std::size_t inner = inner_offset(packet);
  const bool has_frame =
      packet.encapsulation == Encapsulation::Vxlan || packet.encapsulation == Encapsulation::Geneve;
  if (!has_frame || bytes.size() < inner) return bytes;
  const auto frame = bytes.begin() + static_cast<std::ptrdiff_t>(inner - kEthernetBytes);
  // A device in metadata mode or with a remote has one address for both families.
  const node::Device* device = node::receiving_device(
      state,
      {packet.encapsulation, packet.outer.source, packet.vni, packet.outer_destination_port});
  if (device != nullptr) std::ranges::copy(device->mac.bytes, frame);
  if (device == nullptr) write_mac(state, packet.outer.destination, packet.inner.family(), frame);
  write_mac(state, packet.outer.source, packet.inner.family(), frame + 6);
  sum_outer_udp(packet.outer, bytes);
  return bytes;
}

std::size_t inner_offset(const forward::Packet& packet) {
  if (!packet.is_encapsulated()) return 0;
  const std::size_t fragment_header =
      !packet.outer.is_ipv4() && packet.outer.is_fragment() ? wire::kFragmentHeaderBytes : 0;
  const bool has_tag = packet.encapsulation == Encapsulation::Wireguard;
  const std::size_t behind = has_tag ? wire::kWireguardTagBytes : 0;
  return overhead(packet.encapsulation, packet.outer.family()) - behind + fragment_header;
}

Injection inject(const node::NodeState& state, const forward::Packet& packet,
                 forward::Ingress ingress, std::size_t expected) {
  Injection injection{.ingress = ingress,
                      .packet = wire_bytes(state, packet),
                      .expected = static_cast<std::uint32_t>(expected)};
  if (packet.inner.protocol == forward::kUdp) injection.udp_listener = packet.destination_port;
  if (ingress == forward::Ingress::Pod && !state.pods.empty()) {
    const node::LocalPod* pod = state.find_pod(packet.outermost().source);
    const IpAddress sender = pod == nullptr ? state.pods[0].address : pod->address;
    injection.device = state.pod_device(sender).view();
  }
  return injection;
}

}  // namespace overlane::kernel
