#include "dataplane/kernel/experiment/experiment.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "dataplane/kernel/namespaces/device.h"
#include "dataplane/kernel/observe/collect.h"
#include "dataplane/kernel/observe/local_sockets.h"
#include "dataplane/kernel/observe/packet_port.h"
#include "dataplane/kernel/set_up/run_commands.h"
#include "dataplane/node/state/tunnel_ports.h"

namespace overlane::kernel {
namespace {

using std::chrono::milliseconds;

/// The kernel forwards before send() returns, unless it hands the work to ksoftirqd.
constexpr milliseconds kQuiet{10};

struct OpenPort {
  Port port;
  PacketPort socket;
};

/// The node's namespace, the world's, and our sockets in both.
class Laboratory {
 public:
  static Parsed<Laboratory> make(const Experiment& experiment) {
    auto node = NetworkNamespace::make();
    if (!node) return fail(node.error());
    auto world = make_silent_namespace();
    if (!world) return fail(world.error());
    if (auto done = run_commands(experiment.set_up.commands, *node, *world); !done) {
      return fail(done.error());
    }
    auto local = LocalSockets::open(*node, experiment.tunnel_ports);
    if (!local) return fail(local.error());
    Laboratory laboratory(experiment, std::move(*node), std::move(*world), std::move(*local));
    if (auto done = laboratory.open_ports(); !done) return fail(done.error());
    if (auto done = laboratory.listen(); !done) return fail(done.error());
    return laboratory;
  }

  std::vector<Observed> run() {
    std::vector<Observed> all;
    for (const Injection& injection : experiment_->injections) {
      // What came too late for the injection before still belongs to it, unless a timer sent it.
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
      observed.counters = moved(before, is_lost ? settled(before) : read_counters(node_));
      all.push_back(std::move(observed));
    }
    for (Observed& observed : all)
      std::ranges::stable_sort(observed.emitted, {}, [this](const Emitted& e) { return rank(e); });
    return all;
  }

 private:
  Laboratory(const Experiment& experiment, NetworkNamespace node, NetworkNamespace world,
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

  /// The counters after a packet of which nothing is to come out: only they show that a kernel with
  /// more to do, which left it to ksoftirqd, has got to it.
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

  /// Position of the port it came out of.
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

}  // namespace

Experiment make_experiment(const node::NodeState& state, std::vector<Injection> injections,
                           std::span<const IpAddress> more_neighbours) {
  return {.set_up = set_up(state, more_neighbours),
          .tunnel_ports = node::tunnel_ports(state).all(),
          .injections = std::move(injections)};
}

Parsed<std::vector<Observed>> run(const Experiment& experiment) {
  auto laboratory = Laboratory::make(experiment);
  if (!laboratory) return fail(laboratory.error());
  return laboratory->run();
}

}  // namespace overlane::kernel
