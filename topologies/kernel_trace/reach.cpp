#include "topologies/kernel_trace/reach.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dataplane/forward/packet_builder.h"
#include "dataplane/forward/walk.h"
#include "dataplane/kernel/experiment/counters.h"
#include "dataplane/kernel/experiment/experiment.h"
#include "dataplane/reference/byte_node.h"
#include "topologies/path/trace.h"

namespace overlane::testbed {

namespace {

using forward::Egress;
using forward::Ingress;
using forward::Packet;
using kernel::Observed;

bool has_metadata_mode(const compile::Compiled& states) {
  return std::ranges::any_of(states.nodes, [](const node::NodeState& state) {
    return std::ranges::any_of(state.devices, &node::Device::external);
  });
}

kernel::Launch launch(const compile::Compiled& states, const TripOutcome& verdict) {
  const node::NodeState& state = states.nodes[verdict.trip.from_node];
  return {verdict.trip.from_node, kernel::inject(state, packet_of(verdict.trip),
                                                 forward::Ingress::Pod, verdict.core ? 1 : 0)};
}

/// Sets the outcome of a trip in the kernels from the packets that nodes received.
void judge(const std::vector<kernel::Arrival>& arrivals, const compile::Compiled& states,
           TripOutcome& verdict) {
  std::uint32_t bytes = forward::kIpv4HeaderBytes;
  verdict.ended = "no node received a packet of it";
  for (const kernel::Arrival& arrival : arrivals) {
    const Packet packet =
        reference::decode(arrival.packet, node::tunnel_ports(states.nodes[arrival.node]));
    if (packet.inner.is_icmp()) {
      verdict.ended = fmt::format("its sender heard from {}", packet.inner.source.to_string());
    } else if (packet.inner.destination == verdict.trip.destination) {
      bytes += packet.inner.payload_bytes();
    }
  }
  verdict.kernel = bytes >= verdict.trip.bytes;
  if (verdict.kernel) verdict.ended.clear();
}

/// Number of nodes after which a packet counts as lost in a loop; the hop limit would take longer.
constexpr int kMaxHops = 8;

/// Whether the node's end of the tunnel is in metadata mode. There, an eBPF program (cilium
/// bpf/bpf_overlay.c) sets the destination MAC address of each received frame. Without it, the
/// kernel would treat the frame as one for another host.
bool readdresses_frames(const node::NodeState& state, const Packet& packet) {
  if (!packet.is_encapsulated()) return false;
  const node::Device* device = node::receiving_device(
      state,
      {packet.encapsulation, packet.outer.source, packet.vni, packet.outer_destination_port});
  return device != nullptr && device->external;
}

/// A packet or fragment in transit.
struct Load {
  std::size_t trip = 0;
  kernel::Injection injection;  ///< Into the next node.
};
using Flight = forward::InTransit<Load>;

/// Follows the packets of all trips over one set of states, one hop at a time: ask() adds
/// experiments for the kernels, and the outcomes are the packets of the next hop.
class PacketTrace {
 public:
  PacketTrace(const compile::Compiled& states, const std::vector<Trip>& trips)
      : states_(states), walker_(states.fabric) {
    for (const Trip& trip : trips) {
      const path::Walk walk = path::walk(states, trip.from_node, packet_of(trip));
      verdicts_.push_back({trip, false, walk.delivered(), ""});
      arrived_.push_back(forward::kIpv4HeaderBytes);
      const node::NodeState& state = states.nodes[trip.from_node];
      flights_.push_back(
          {trip.from_node,
           Ingress::Pod,
           {verdicts_.size() - 1, kernel::inject(state, packet_of(trip), Ingress::Pod, 1)},
           std::nullopt});
    }
  }

  /// Adds an experiment for each node that packets enter next.
  void ask(kernel::Request& request) {
    std::ranges::stable_sort(flights_, {}, &Flight::node);
    asked_ = std::exchange(flights_, {});
    for (auto at = asked_.begin(); at != asked_.end();) {
      const std::uint32_t node = at->node;
      std::vector<kernel::Injection> injections;
      for (; at != asked_.end() && at->node == node; ++at)
        injections.push_back(at->load.injection);
      request.experiments.push_back(
          kernel::make_experiment(states_.nodes[node], std::move(injections)));
    }
  }

  bool is_over() const { return flights_.empty(); }

  using Outcomes = std::vector<Parsed<std::vector<Observed>>>;
  /// Takes the outcomes of the experiments that ask() added. `outcome` is the first of them, and
  /// afterwards the one after the last.
  Parsed<bool> hear(Outcomes::const_iterator& outcome) {
    for (std::size_t next = 0; next < asked_.size(); ++outcome) {
      if (!*outcome) return fail(outcome->error());
      for (const Observed& observed : **outcome)
        go_on(asked_[next++], observed);
    }
    flights_ = walker_.take();
    return true;
  }

  std::vector<TripOutcome> verdicts() {
    for (const Flight& flight : flights_)
      verdicts_[flight.load.trip].ended = "still on its way after many hops";
    return std::move(verdicts_);
  }

  /// Callback of forward::Walker: `flight` has crossed the VPC. The result is the load of an ICMP
  /// error of the VPC; there is none, because ICMP errors deliver no trip.
  std::optional<Load> crossed(Flight& flight, const forward::FabricOutcome& fabric,
                              const std::vector<forward::Step>&) {
    if (fabric.drop) {
      verdicts_[flight.load.trip].ended =
          fmt::format("the VPC lost it ({})", overlane::to_string(*fabric.drop));
      return std::nullopt;
    }
    const node::NodeState& state = states_.nodes[fabric.instance];
    if (fabric.packet != crossing_ || readdresses_frames(state, fabric.packet))
      flight.load.injection.packet = kernel::wire_bytes(state, fabric.packet);
    return std::nullopt;
  }

 private:
  void go_on(const Flight& flight, const Observed& observed) {
    TripOutcome& verdict = verdicts_[flight.load.trip];
    bool lost = true;
    for (const kernel::Emitted& emitted : observed.emitted) {
      const Packet packet =
          reference::decode(emitted.packet, node::tunnel_ports(states_.nodes[flight.node]));
      if (packet.inner.is_icmp()) continue;
      lost = false;
      if (emitted.egress == Egress::Uplink) cross(flight, emitted, packet);
      if (emitted.egress == Egress::Pod && packet.inner.destination == verdict.trip.destination) {
        arrived_[flight.load.trip] += packet.inner.payload_bytes();
        verdict.kernel = arrived_[flight.load.trip] >= verdict.trip.bytes;
      }
    }
    if (lost) {
      verdict.ended = fmt::format("{} lost it ({}{})", states_.nodes[flight.node].member().name,
                                  observed.refused, kernel::to_string(observed.counters));
    }
  }

  void cross(const Flight& flight, const kernel::Emitted& emitted, const Packet& packet) {
    crossing_ = packet;
    walker_.cross(
        *this,
        {flight.node,
         Ingress::Uplink,
         {flight.load.trip, {.ingress = Ingress::Uplink, .packet = emitted.packet}},
         forward::Emission{.packet = packet,
                           .next_hop = emitted.next_hop.value_or(packet.outermost().destination)}});
  }

  const compile::Compiled& states_;
  std::vector<TripOutcome> verdicts_;
  std::vector<std::uint32_t> arrived_;  ///< Bytes delivered per trip.
  std::vector<Flight> flights_;         ///< Packets about to enter a node.
  std::vector<Flight> asked_;           ///< Packets given to the kernels, sorted by node.
  forward::Walker<Load> walker_;
  Packet crossing_;  ///< The packet that left its node.
};

}  // namespace

std::string obstacle(const compile::Compiled& states) {
  if (has_metadata_mode(states)) {
    return "frames in its tunnels are readdressed by an eBPF program, which no kernel here has";
  }
  const auto fabric = kernel::fabric_set_up(states.fabric, {});
  return fabric ? "" : fabric.error();
}

Parsed<Reach> reach_through_kernels(const compile::Compiled& states, const std::vector<Trip>& trips,
                                    kernel::Place place, const kernel::InnerCommand& inner) {
  assert(obstacle(states).empty());
  compile::Compiled judged = states;
  judged.fabric = kernel::without_what_is_left(states.fabric);
  Reach reach{.left_out = kernel::left_to_the_model(states.fabric)};
  std::vector<kernel::Launch> launches;
  for (const Trip& trip : trips) {
    const path::Walk walk = path::walk(judged, trip.from_node, packet_of(trip));
    reach.verdicts.push_back({trip, false, walk.delivered(), ""});
    launches.push_back(launch(states, reach.verdicts.back()));
  }
  auto cluster = kernel::make_cluster_experiment(states.nodes, states.fabric, std::move(launches));
  if (!cluster) return fail(cluster.error());
  const auto answer = kernel::ask(place, {.clusters = {*std::move(cluster)}}, inner);
  if (!answer) return fail(answer.error());
  reach.kernel = answer->kernel;
  const auto& arrivals = answer->arrivals.at(0);
  if (!arrivals) return fail(arrivals.error());
  for (std::size_t i = 0; i < reach.verdicts.size(); ++i)
    judge((*arrivals)[i], states, reach.verdicts[i]);
  return reach;
}

Packet packet_of(const Trip& trip) {
  return forward::PacketBuilder::udp(trip.source, trip.destination)
      .length(trip.bytes)
      .dont_fragment()
      .build();
}

std::vector<Trip> all_trips(const compile::Compiled& states,
                            const std::vector<std::uint16_t>& sizes) {
  std::vector<Trip> trips;
  for (std::uint32_t a = 0; a < states.nodes.size(); ++a) {
    for (std::uint32_t b = 0; b < states.nodes.size(); ++b) {
      if (a == b || states.nodes[a].pods.empty() || states.nodes[b].pods.empty()) continue;
      for (const std::uint16_t bytes : sizes) {
        trips.push_back(
            {a, b, states.nodes[a].pods[0].address, states.nodes[b].pods[0].address, bytes});
      }
    }
  }
  return trips;
}

Parsed<Reach> reach(const compile::Compiled& states, const std::vector<Trip>& trips,
                    kernel::Place place, const kernel::InnerCommand& inner) {
  auto reached = reach_all({{states, trips}}, place, inner);
  if (!reached) return fail(reached.error());
  return std::move(reached->front());
}

Parsed<std::vector<Reach>> reach_all(const std::vector<Journey>& journeys, kernel::Place place,
                                     const kernel::InnerCommand& inner) {
  std::vector<PacketTrace> traces;
  traces.reserve(journeys.size());
  for (const Journey& journey : journeys)
    traces.emplace_back(journey.states, journey.trips);
  std::vector<Reach> reached(journeys.size());
  const auto is_over = [](const PacketTrace& trace) { return trace.is_over(); };
  for (int hop = 0; hop < kMaxHops && !std::ranges::all_of(traces, is_over); ++hop) {
    kernel::Request request;
    for (PacketTrace& trace : traces)
      trace.ask(request);
    const auto answer = kernel::ask(place, request, inner);
    if (!answer) return fail(answer.error());
    auto outcome = answer->outcomes.begin();
    for (std::size_t i = 0; i < traces.size(); ++i) {
      if (const auto heard = traces[i].hear(outcome); !heard) return fail(heard.error());
      reached[i].kernel = answer->kernel;
    }
  }
  for (std::size_t i = 0; i < traces.size(); ++i)
    reached[i].verdicts = traces[i].verdicts();
  return reached;
}

std::vector<std::string> needed_abilities(const compile::Compiled& states) {
  std::set<std::string> needed{"veth"};
  for (const node::NodeState& state : states.nodes) {
    for (const node::Device& device : state.devices) {
      const Encapsulation encapsulation = node::encapsulation_of(device.kind);
      if (encapsulation != Encapsulation::None) needed.emplace(to_string(encapsulation));
    }
  }
  return {needed.begin(), needed.end()};
}

}  // namespace overlane::testbed
