#include "dataplane/forward/forward.h"

#include <algorithm>

#include <fmt/format.h>

#include "dataplane/forward/node_decision.h"
#include "dataplane/forward/packet_transform.h"
#include "dataplane/forward/state_lookup.h"
#include "dataplane/forward/step_observer.h"
#include "dataplane/node/text/state_text.h"

namespace overlane::forward {
namespace {

using node::FabricRule;
using node::FabricState;
using node::Instance;
using node::PortRange;
using node::RuleSource;

/// The fields of a packet from instance `from` to instance `to` that the fabric inspects.
struct InspectedFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  FlowKey flow;
};

InspectedFlow reverse(const InspectedFlow& inspected) {
  const FlowKey& flow = inspected.flow;
  return {inspected.to,
          inspected.from,
          {flow.destination, flow.source, flow.destination_port, flow.source_port, flow.protocol}};
}

FlowKey outermost_flow(const Packet& packet) {
  const IpFields& header = packet.outermost();
  FlowKey flow{
      .source = header.source, .destination = header.destination, .protocol = header.protocol};
  if (header.fragment_offset != 0 || !has_ports(header.protocol)) return flow;
  const bool tunnelled = packet.is_encapsulated();
  flow.source_port = tunnelled ? packet.outer_source_port : packet.source_port;
  flow.destination_port = tunnelled ? packet.outer_destination_port : packet.destination_port;
  return flow;
}

bool is_member(const FabricState& state, std::uint32_t group, const Instance& instance) {
  return state.groups[group].every_instance ||
         std::ranges::find(instance.groups, group) != instance.groups.end();
}

bool contains(const std::vector<IpPrefix>& networks, IpAddress address) {
  return std::ranges::any_of(networks,
                             [=](const IpPrefix& network) { return network.contains(address); });
}

/// Returns whether a member of the group has the source address. The sender is checked first, since
/// it usually has the address. `pairs`: allowed address pairs count too.
bool has_address(const FabricState& state, std::uint32_t group, const InspectedFlow& inspected,
                 bool pairs) {
  const IpAddress source = inspected.flow.source;
  const auto has = [&](const Instance& instance) {
    const bool own = std::ranges::find(instance.addresses, source) != instance.addresses.end();
    return (own || (pairs && contains(instance.allowed, source))) &&
           is_member(state, group, instance);
  };
  return has(state.instances[inspected.from]) || std::ranges::any_of(state.instances, has);
}

bool comes_from(const FabricState& state, std::uint32_t group, const FabricRule& rule,
                const InspectedFlow& inspected) {
  switch (rule.source) {
    case RuleSource::Networks:
      return contains(rule.networks, inspected.flow.source);
    case RuleSource::GroupInterfaces:
      return is_member(state, group, state.instances[inspected.from]);
    case RuleSource::GroupAddresses:
      return has_address(state, group, inspected, true);
    case RuleSource::GroupFixedAddresses:
      return has_address(state, group, inspected, false);
  }
  return false;
}

bool takes(const FabricState& state, std::uint32_t group, const FabricRule& rule,
           const InspectedFlow& inspected) {
  if (!rule.protocols.empty() &&
      std::ranges::find(rule.protocols, inspected.flow.protocol) == rule.protocols.end()) {
    return false;
  }
  const auto fits = [&](PortRange range) {
    return range.contains(inspected.flow.destination_port);
  };
  if (!rule.ports.empty() && std::ranges::none_of(rule.ports, fits)) return false;
  return comes_from(state, group, rule, inspected);
}

/// The decision of the receiver's security groups about a packet that opens a connection.
struct GroupDecision {
  bool is_filtered = false;  ///< Whether any group applies.
  std::optional<AdmittingRule> admitted_by;

  bool admitted() const { return admitted_by || !is_filtered; }
};

GroupDecision evaluate_groups(const FabricState& state, const InspectedFlow& inspected) {
  GroupDecision decision;
  for (std::uint32_t group = 0; group < state.groups.size(); ++group) {
    if (!is_member(state, group, state.instances[inspected.to])) continue;
    decision.is_filtered = true;
    for (const FabricRule& rule : state.groups[group].rules) {
      if (!takes(state, group, rule, inspected)) continue;
      decision.admitted_by = AdmittingRule{&state.groups[group], &rule};
      return decision;
    }
  }
  return decision;
}

bool admits_new(const FabricState& state, const InspectedFlow& inspected) {
  return evaluate_groups(state, inspected).admitted();
}

/// Returns the flow under which the packet can be an expected answer: its own, or that of the
/// packet which an ICMP error quotes.
FlowKey answering_flow(const Packet& packet) {
  if (!packet.icmp || packet.is_encapsulated()) return outermost_flow(packet);
  const IcmpError& error = *packet.icmp;
  const bool ports = has_ports(error.quoted_protocol);
  return {error.quoted_destination, error.quoted_source,
          ports ? error.quoted_destination_port : std::uint16_t{0},
          ports ? error.quoted_source_port : std::uint16_t{0}, error.quoted_protocol};
}

}  // namespace

const node::DenyRule* denying_rule(const FabricState& state, const Packet& packet) {
  if (state.denied.empty()) return nullptr;
  const FlowKey flow = outermost_flow(packet);
  const IpFields& header = packet.outermost();
  // ICMP type * 256 + code.
  std::optional<std::uint16_t> message;
  if (header.is_icmp() && header.fragment_offset == 0)
    message = packet.icmp ? packet.icmp->type << 8 | packet.icmp->code : packet.destination_port;
  const auto denies = [&](const node::DenyRule& rule) {
    if (rule.disabled || rule.protocol != header.protocol) return false;
    if (rule.port && (header.fragment_offset != 0 || *rule.port != flow.destination_port))
      return false;
    if (rule.icmp_type && (!message || *rule.icmp_type != *message >> 8)) return false;
    return !rule.icmp_code || (message && *rule.icmp_code == (*message & 0xff));
  };
  const auto found = std::ranges::find_if(state.denied, denies);
  return found == state.denied.end() ? nullptr : &*found;
}

std::optional<AdmittingRule> admitting_rule(const FabricState& state, std::uint32_t from,
                                            std::uint32_t to, const Packet& packet) {
  return evaluate_groups(state, {from, to, outermost_flow(packet)}).admitted_by;
}

bool admits(const FabricState& state, std::uint32_t from, std::uint32_t to, const Packet& packet,
            node::FabricRuntime* runtime, Picos now) {
  if (state.groups.empty()) return true;
  const InspectedFlow inspected{from, to, outermost_flow(packet)};
  if (!admits_new(state, inspected)) {
    return runtime != nullptr && runtime->answers.expects(answering_flow(packet), now);
  }
  if (runtime != nullptr) {
    const InspectedFlow answer = reverse(inspected);
    if (!admits_new(state, answer)) runtime->answers.expect(answer.flow, now);
  }
  return true;
}

namespace {

/// Calls `run` with the decision sequence.
template <typename Run>
void decide(const node::NodeState& state, node::NodeRuntime& runtime, Picos now, Outcome& outcome,
            std::vector<Step>* steps, Run run) {
  outcome.clear();
  const StateLookup lookup(state);
  if (steps == nullptr) {
    NoObserver observer;
    run(NodeDecision(lookup, observer, runtime, now, outcome));
  } else {
    StepObserver observer(state, *steps);
    run(NodeDecision(lookup, observer, runtime, now, outcome));
  }
}

using node::FabricState;
using node::FabricTarget;
using node::Instance;

bool accepts(const Instance& instance, IpAddress address) {
  return !instance.source_destination_check || instance.owns(address) ||
         std::ranges::any_of(instance.allowed,
                             [=](const IpPrefix& prefix) { return prefix.contains(address); });
}

class FabricDecision {
  /// Returns a function that writes the entry. It runs for steps only.
  auto line_of(const Instance& instance) const {
    return [&state = state_, &instance] { return node::instance_line(state, instance); };
  }
  static auto line_of(const node::DenyRule& rule) {
    return [&rule] { return to_string(rule); };
  }

 public:
  FabricDecision(const FabricState& state, std::uint32_t from, FabricOutcome& outcome,
                 std::vector<Step>* steps, node::FabricRuntime* runtime, Picos now,
                 const node::InstanceOwners* owners)
      : state_(state),
        from_(from),
        sender_(state.instances.at(from)),
        outcome_(outcome),
        steps_(steps),
        runtime_(runtime),
        now_(now),
        owners_(owners) {}

  void run(IpAddress next_hop) {
    Packet& packet = outcome_.packet;
    const IpFields& header = packet.outermost();
    if (!node::answers_for(state_, subnet(), next_hop)) {
      return drop(Drop::NoNeighbour, [] { return std::string(node::kAnswersWithinSubnet); });
    }
    if (!accepts(sender_, header.source)) return drop(Drop::FabricSourceCheck, line_of(sender_));
    note(
        "check source",
        [&] { return fmt::format("{} may send as {}", sender_.name, header.source.to_string()); },
        line_of(sender_));
    if (std::ranges::find(state_.dropped_protocols, header.protocol) !=
        state_.dropped_protocols.end()) {
      return drop(Drop::FabricProtocolFilter,
                  [&] { return node::dropped_protocol_line(header.protocol); });
    }
    if (const node::DenyRule* rule = denying_rule(state_, packet))
      return drop(Drop::FabricPacketFilter, line_of(*rule));
    if (!takes_fragment(header)) {
      return drop(Drop::FabricFragment,
                  [] { return std::string(node::kDropsDisorderedFragments); });
    }
    if (header.total_length > state_.mtu) {
      if (header.must_stay_whole()) answer(IcmpReason::PacketTooBig, state_.mtu);
      return drop(Drop::FabricMtuExceeded, [&] { return node::vpc_line(state_); });
    }
    const Instance* receiver = neighbour(next_hop);
    if (receiver == nullptr) receiver = routed(header.destination);
    if (receiver == nullptr) return;
    const auto to = static_cast<std::uint32_t>(receiver - state_.instances.data());
    outcome_.routed_to = to;
    if (!fits_path(*receiver) || !take_hops(*receiver)) return;
    if (!accepts(*receiver, header.destination)) {
      return drop(Drop::FabricDestinationCheck, line_of(*receiver));
    }
    if (!admits(state_, from_, to, packet, runtime_, now_)) {
      return drop(Drop::FabricPacketFilter, [&] { return group_of(*receiver); });
    }
    if (steps_ != nullptr) note_filter(to);
    outcome_.instance = to;
    note(
        "deliver", [&] { return fmt::format("to instance {}", receiver->name); },
        line_of(*receiver));
  }

 private:
  const node::Subnet& subnet() const { return state_.subnets.at(sender_.subnet); }

  bool takes_fragment(const IpFields& header) {
    if (!state_.drops_disordered_fragments || !header.is_fragment() || runtime_ == nullptr) {
      return true;
    }
    const std::uint32_t begin = header.fragment_offset;
    return runtime_->fragments.in_order(
        {header.source, header.destination, header.identification, header.protocol},
        {begin, begin + header.payload_bytes(), !header.more_fragments}, now_);
  }

  const Instance* owner(IpAddress address) const {
    if (owners_ != nullptr) {
      const auto number = owners_->find(address);
      return number ? &state_.instances[*number] : nullptr;
    }
    const auto at = std::ranges::find_if(
        state_.instances, [=](const Instance& instance) { return instance.owns(address); });
    return at == state_.instances.end() ? nullptr : &*at;
  }

  const Instance* neighbour(IpAddress next_hop) {
    if (!state_.honours_next_hop) return nullptr;
    const Instance* instance = owner(next_hop);
    if (instance == nullptr || instance->subnet != sender_.subnet) return nullptr;
    note(
        "route", [&] { return fmt::format("{} is a neighbour", next_hop.to_string()); },
        [&] { return node::subnet_line(state_, subnet()); });
    return instance;
  }

  /// Returns the instance to which the route table of the sender's subnet leads. Without one it
  /// drops the packet and returns null.
  const Instance* routed(IpAddress destination) {
    const auto& table = state_.route_tables.at(subnet().route_table);
    const auto* entry = table.routes.longest_match(destination);
    if (entry == nullptr) {
      drop(Drop::FabricNoRoute, [] { return std::string(); });
      return nullptr;
    }
    const auto& [prefix, route] = *entry;
    const auto line = [&state = state_, &table, entry] {
      return node::route_line(state, table, entry->first, entry->second);
    };
    note(
        "route",
        [&] { return fmt::format("{} is in {}", destination.to_string(), prefix.to_string()); },
        line);
    switch (route.target) {
      case FabricTarget::Local: {
        const Instance* instance = owner(destination);
        if (instance == nullptr)
          drop(Drop::FabricNoRoute, line, "no machine in the VPC has the destination's address");
        return instance;
      }
      case FabricTarget::Instance:
        return &state_.instances.at(route.instance);
      case FabricTarget::Blackhole:
        drop(Drop::FabricBlackhole, line);
        return nullptr;
      case FabricTarget::Foreign:
        drop(Drop::FabricForeignInstance, line);
        return nullptr;
      case FabricTarget::Internet:
        if (fits_egress(destination))
          drop(Drop::FabricNoRoute, line,
               is_global(destination)
                   ? "the route leaves the VPC, and no host outside can answer the source"
                   : "the route leaves the VPC, and no host outside has a private address");
        return nullptr;
    }
    return nullptr;
  }

  /// Checks a packet that leaves the VPC against the egress MTU. Returns false if it dropped the
  /// packet because it is too large. A packet without DF continues in fragments.
  bool fits_egress(IpAddress destination) {
    const IpFields& header = outcome_.packet.outermost();
    const bool is_own =
        std::ranges::find(sender_.addresses, header.source) != sender_.addresses.end();
    const bool goes_out = is_global(destination) && (is_own || !header.is_ipv4());
    if (state_.egress_mtu == 0 || !goes_out || !header.must_stay_whole() ||
        header.total_length <= state_.egress_mtu) {
      return true;
    }
    answer(IcmpReason::PacketTooBig, state_.egress_mtu);
    drop(Drop::FabricMtuExceeded, [&] { return node::egress_mtu_line(state_); });
    return false;
  }

  bool fits_path(const Instance& receiver) {
    const IpFields& header = outcome_.packet.outermost();
    const std::uint32_t mtu = node::path_mtu(state_, sender_, receiver);
    if (header.total_length <= mtu) return true;
    if (header.must_stay_whole() && !state_.path_mtu.silent) answer(IcmpReason::PacketTooBig, mtu);
    drop(Drop::FabricMtuExceeded, [&] { return node::path_mtu_line(state_.path_mtu); });
    return false;
  }

  /// Subtracts the decrementing hops between two subnets from the hop limit. Returns false if it
  /// dropped the packet because the hop limit ran out.
  bool take_hops(const Instance& receiver) {
    if (receiver.subnet == sender_.subnet) return true;
    IpFields& header = outcome_.packet.outermost();
    if (state_.decrementing_hops >= header.ttl && state_.decrementing_hops != 0) {
      answer(IcmpReason::TimeExceeded, 0);
      drop(Drop::FabricTtlExpired, [&] { return decrementing_hops_line(state_); });
      return false;
    }
    header.ttl = static_cast<std::uint8_t>(header.ttl - state_.decrementing_hops);
    outcome_.hops = state_.decrementing_hops;
    return true;
  }

  /// Sends an ICMP error from the subnet's router, unless the packet filter drops it.
  void answer(IcmpReason reason, std::uint32_t mtu) {
    const auto router = node::router(subnet(), outcome_.packet.outermost().source.is_ipv4());
    if (!router) return;
    const auto error = icmp_error(reason, outcome_.packet, *router, mtu);
    if (!error) return;
    const node::DenyRule* rule = denying_rule(state_, *error);
    (rule == nullptr ? outcome_.reply : outcome_.denied_reply) = error;
    note(
        "answer",
        [&] {
          return fmt::format("ICMP {} to {}{}", describe(*error->icmp),
                             error->inner.destination.to_string(),
                             rule == nullptr ? "" : ", which the packet filter drops");
        },
        [&] { return rule == nullptr ? std::string() : to_string(*rule); });
  }

  /// Returns the head line of the first group that applies to the instance; empty if none does.
  std::string group_of(const Instance& instance) const {
    for (std::uint32_t i = 0; i < state_.groups.size(); ++i) {
      const bool member = std::ranges::find(instance.groups, i) != instance.groups.end();
      if (member || state_.groups[i].every_instance) return node::group_line(state_.groups[i]);
    }
    return "";
  }
  void note_filter(std::uint32_t to) {
    if (state_.groups.empty()) return;
    if (const auto admitting = admitting_rule(state_, from_, to, outcome_.packet)) {
      note(
          "filter", [&] { return fmt::format("{} lets it in", admitting->group->name); },
          [&] { return node::rule_line(*admitting->group, *admitting->rule); });
    } else if (const std::string group = group_of(state_.instances[to]); !group.empty()) {
      note(
          "filter", [] { return std::string("it answers what was let through before"); },
          [&] { return group; });
    }
  }

  /// `meaning` replaces the reason's general meaning in the step.
  template <typename Entry>
  void drop(Drop reason, Entry entry, std::string_view meaning = {}) {
    outcome_.drop = reason;
    note(
        "drop",
        [&] {
          return fmt::format("{}: {} ({})", to_string(reason),
                             meaning.empty() ? facts(reason).meaning : meaning,
                             describe(outcome_.packet));
        },
        entry);
    if (steps_ != nullptr) steps_->back().drop = reason;
  }

  template <typename Because, typename Entry>
  void note(const char* decision, Because because, Entry entry) {
    if (steps_ != nullptr) steps_->push_back({"vpc", decision, because(), entry(), std::nullopt});
  }

  const FabricState& state_;
  std::uint32_t from_;
  const Instance& sender_;
  FabricOutcome& outcome_;
  std::vector<Step>* steps_;
  node::FabricRuntime* runtime_;
  Picos now_;
  const node::InstanceOwners* owners_;
};

}  // namespace

void forward(const node::NodeState& state, node::NodeRuntime& runtime, const Packet& packet,
             Ingress ingress, Picos now, Outcome& outcome, std::vector<Step>* steps) {
  decide(state, runtime, now, outcome, steps,
         [&](auto&& decision) { decision.run(packet, ingress); });
}

void time_out(const node::NodeState& state, node::NodeRuntime& runtime,
              const node::ReassemblyTable::Expired& lost, Picos now, Outcome& outcome,
              std::vector<Step>* steps) {
  decide(state, runtime, now, outcome, steps,
         [&](auto&& decision) { decision.report_timeout(lost); });
}

void forward(const FabricState& state, const Packet& packet, std::uint32_t from, IpAddress next_hop,
             FabricOutcome& outcome, std::vector<Step>* steps, node::FabricRuntime* runtime,
             Picos now, const node::InstanceOwners* owners) {
  outcome = {.packet = packet};
  FabricDecision(state, from, outcome, steps, runtime, now, owners).run(next_hop);
}

}  // namespace overlane::forward
