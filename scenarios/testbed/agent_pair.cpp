#include "scenarios/testbed/agent_pair.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "scenarios/testbed/cluster.h"

namespace overlane::testbed {

namespace {

/// Maximum number of pods in a /24, without its first address (the tunnel's) and its last.
constexpr std::uint64_t kMaxPods = 254;

Family other(Family family) {
  return family == Family::Ipv4 ? Family::Ipv6 : Family::Ipv4;
}

bool both_have(std::array<const agent::HostFacts*, kHosts> hosts, Family family) {
  return hosts[0]->address(family) && hosts[1]->address(family);
}

}  // namespace

IpPrefix agent_pod_range(Family family, std::size_t host, std::uint32_t variant) {
  const std::string text = family == Family::Ipv4
                               ? fmt::format("198.{}.{}.0/24", 18 + host, variant)
                               : fmt::format("2001:2:0:{:x}::/64", host * 256 + variant);
  return IpPrefix::parse(text).value();
}

Parsed<AgentAddresses> AgentAddresses::of(const std::vector<run::TrafficGroup>& groups,
                                          std::array<const agent::HostFacts*, kHosts> hosts,
                                          std::uint32_t variant) {
  const std::vector<PlannedFlow> flows = flows_of(groups);
  AgentAddresses addresses;
  if (!flows.empty()) addresses.family_ = flows.front().client.pod.address.family();
  const bool is_as_is = hosts[0]->network == agent::HostNetwork::AsIs;
  if (is_as_is && !both_have(hosts, addresses.family_))
    addresses.family_ = other(addresses.family_);
  if (!both_have(hosts, addresses.family_))
    return fail(fmt::format("the uplinks of the hosts do not both have an IPv{} address",
                            addresses.family_ == Family::Ipv4 ? 4 : 6));
  for (std::size_t host = 0; host < kHosts; ++host)
    addresses.hosts_[host] = *hosts[host]->address(addresses.family_);
  if (is_as_is) return addresses;
  for (const PlannedFlow& flow : flows)
    for (const PlannedEnd& end : {flow.client, flow.server})
      if (auto done = addresses.add(end, variant); !done) return fail(done.error());
  return addresses;
}

Result<void, std::string> AgentAddresses::add(const PlannedEnd& end, std::uint32_t variant) {
  if (end.is_on_node || pods_.contains(end.pod)) return {};
  const std::size_t host = end.pod.node;
  if (++count_[host] > kMaxPods)
    return fail(fmt::format("more than {} pods on one host", kMaxPods));
  pods_.emplace(end.pod, agent_pod_range(family_, host, variant).network() + count_[host]);
  return {};
}

IpAddress AgentAddresses::of(const PlannedEnd& end) const {
  const auto pod = pods_.find(end.pod);
  return pod != pods_.end() && !end.is_on_node ? pod->second : hosts_[end.pod.node];
}

std::vector<IpAddress> AgentAddresses::pods_of(std::size_t host) const {
  std::vector<IpAddress> own;
  for (const auto& [pod, address] : pods_)
    if (pod.node == host) own.push_back(address);
  return own;
}

namespace {

using agent::HostFacts;
using agent::PodNetwork;
using kernel::Carried;
using kernel::FlowEnds;
using kernel::FlowFigures;
using kernel::FlowKind;
using run::TrafficGroup;

/// The first VNI of the variants ("OV" in ASCII). It is far from the VNIs of CNIs, so that a device
/// of a cluster with the same port can exist at the same time.
constexpr std::uint32_t kFirstVni = 0x4f5600;

HostsFailure failure(const agent::ClientFailure& of_client) {
  return {.message = of_client.message, .is_final = of_client.is_lost};
}

/// The device by which the first node reaches the pods of the second; null if it does not use one
/// of its devices.
const node::Device* device_to_peer(const run::Network& network) {
  const node::NodeState& state = network.nodes[0];
  if (network.nodes[1].pods.empty()) return state.uplink();
  const auto match = node::lookup(state, network.nodes[1].pods.front().address);
  return match ? state.find_device(match->route.device) : nullptr;
}

/// Combines the figures of both ends of a flow.
FlowFigures joined(const PlannedFlow& flow, const FlowFigures& client, const FlowFigures& server) {
  FlowFigures figures = flow.load.kind == FlowKind::Requests ? client : server;
  figures.failure = client.failure;
  if (flow.load.kind == FlowKind::Datagrams && flow.load.payload_bytes < kernel::kStampBytes)
    figures.sent_messages = client.sent_messages;
  return figures;
}

}  // namespace

/// One variant on both hosts.
class AgentCluster : public Cluster {
 public:
  AgentCluster(AgentPair& pair, std::uint32_t number, AgentAddresses addresses,
               std::optional<HostMtus> mtus)
      : pair_(pair), number_(number), addresses_(std::move(addresses)), mtus_(mtus) {}

  std::string wire() const override { return "the network of the hosts"; }
  std::optional<HostMtus> mtus() const override { return mtus_; }

  Result<Slice, HostsFailure> carry(const std::vector<TrafficGroup>& groups,
                                    const kernel::FlowTimes& times,
                                    const std::atomic<bool>&) override {
    const std::vector<PlannedFlow> flows = flows_of(groups);
    std::array<agent::Request, kHosts> prepares;
    for (std::size_t host = 0; host < kHosts; ++host)
      prepares[host] = agent::Prepare{.variant = number_, .flows = flows_on(host, flows)};
    if (auto done = pair_.ask_both<agent::Done>(prepares); !done) return fail(done.error());
    const agent::Request run =
        agent::CarryFlows{.warm_up = times.warm_up, .counted = times.counted};
    if (auto done = pair_.ask_both<agent::Done>(
            {run, run}, times.warm_up + times.counted + agent::kAnswerPatience);
        !done)
      return fail(done.error());
    const agent::Request finish = agent::Finish{};
    const auto figures = pair_.ask_both<agent::Figures>({finish, finish});
    if (!figures) return fail(figures.error());
    return slice_of(groups, flows, *figures);
  }

 private:
  static bool has_end(const PlannedFlow& flow, std::size_t host) {
    return flow.client.pod.node == host || flow.server.pod.node == host;
  }

  std::vector<agent::AgentFlow> flows_on(std::size_t host,
                                         const std::vector<PlannedFlow>& flows) const {
    std::vector<agent::AgentFlow> own;
    for (const PlannedFlow& flow : flows) {
      if (!has_end(flow, host)) continue;
      const bool has_client = flow.client.pod.node == host,
                 has_server = flow.server.pod.node == host;
      own.push_back({.load = flow.load,
                     .here = !has_server   ? FlowEnds::Client
                             : !has_client ? FlowEnds::Server
                                           : FlowEnds::Both,
                     .client = addresses_.of(flow.client),
                     .server = addresses_.of(flow.server),
                     .port = flow.port,
                     .seed = flow.seed});
    }
    return own;
  }

  Result<Slice, HostsFailure> slice_of(const std::vector<TrafficGroup>& groups,
                                       const std::vector<PlannedFlow>& flows,
                                       const std::vector<agent::Figures>& figures) const {
    std::array<std::size_t, kHosts> next{};
    Carried carried;
    for (const PlannedFlow& flow : flows) {
      std::array<const FlowFigures*, kHosts> of_host{};
      for (std::size_t host = 0; host < kHosts; ++host) {
        if (!has_end(flow, host)) continue;
        if (next[host] == figures[host].carried.flows.size())
          return fail(
              HostsFailure{"an agent has figures of other flows than were asked for", true});
        of_host[host] = &figures[host].carried.flows[next[host]++];
      }
      carried.flows.push_back(
          joined(flow, *of_host[flow.client.pod.node], *of_host[flow.server.pod.node]));
    }
    carried.cpu = figures[0].carried.cpu;
    if (!pair_.is_one_machine()) carried.cpu += figures[1].carried.cpu;
    return testbed::slice_of(groups, carried);
  }

  AgentPair& pair_;
  std::uint32_t number_;
  AgentAddresses addresses_;
  std::optional<HostMtus> mtus_;
};

Result<std::unique_ptr<AgentPair>, std::string> AgentPair::connect(
    const std::array<agent::Endpoint, 2>& endpoints, const agent::Token& token,
    const std::atomic<bool>& stop) {
  std::vector<Member> members;
  for (const agent::Endpoint& endpoint : endpoints) {
    auto client = agent::Client::connect(endpoint, token, [&stop] { return stop.load(); });
    if (!client) return fail(client.error().message);
    auto facts = client->ask<HostFacts>(agent::AskFacts{});
    if (!facts) return fail(facts.error().message);
    members.push_back({*std::move(client), *std::move(facts)});
  }
  if (members[0].facts.network != members[1].facts.network)
    return fail(
        "one agent makes pods and the other measures the network as it is; start both with "
        "the same --network");
  return std::unique_ptr<AgentPair>(new AgentPair(std::move(members)));
}

std::string AgentPair::kernel_release() const {
  const std::string& first = members_[0].facts.kernel;
  const std::string& second = members_[1].facts.kernel;
  return first == second ? first : first + ", " + second;
}

std::vector<model::MeasuredHost> AgentPair::facts() const {
  std::vector<model::MeasuredHost> hosts;
  for (const Member& member : members_)
    hosts.push_back({.address = member.client.name(),
                     .kernel = member.facts.kernel,
                     .processors = member.facts.processors,
                     .uplink = member.facts.uplink,
                     .mtu = member.facts.mtu,
                     .segmentation = member.facts.offloads.segmentation,
                     .receive = member.facts.offloads.receive});
  return hosts;
}

bool AgentPair::is_as_is() const {
  return members_[0].facts.network == agent::HostNetwork::AsIs;
}

Findings AgentPair::findings() const {
  Findings findings;
  if (is_as_is())
    findings.push_back({.rule = "as-is",
                        .severity = Severity::Note,
                        .message = "measured over the network that the hosts have, whatever it is: "
                                   "the variants of the manifests were not made"});
  if (is_one_machine())
    findings.push_back({.rule = "one-machine",
                        .severity = Severity::Warning,
                        .message = "both agents run on one machine and share its processors: the "
                                   "figures are not those of two"});
  return findings;
}

bool AgentPair::is_one_machine() const {
  return members_[0].facts.boot == members_[1].facts.boot;
}

std::string AgentPair::obstacle(const run::Network& network) const {
  if (network.nodes.size() != kHosts)
    return fmt::format("it has {} nodes; two agents are two nodes", network.nodes.size());
  if (is_as_is()) return "";
  if (network.datapath == cost::Datapath::Ebpf)
    return "eBPF programs carry its pods' packets, which agents do not have";
  const node::Device* device = device_to_peer(network);
  if (device == nullptr) return "its nodes have no route to each other's pods";
  const std::string name(to_string(device->encapsulation()));
  switch (device->encapsulation()) {
    case Encapsulation::None:
      return "";
    case Encapsulation::Ipip:
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      break;
    default:
      return "agents make no " + name;
  }
  for (const Member& member : members_)
    if (std::ranges::count(member.facts.abilities, name) == 0)
      return fmt::format("the kernel of {} has no {}", member.client.name(), name);
  return "";
}

Result<std::unique_ptr<Cluster>, HostsFailure> AgentPair::make(
    const run::Network& network, const std::vector<TrafficGroup>& groups,
    const kernel::DeviceOffloads& offloads) {
  const std::uint32_t number = made_++;
  if (number >= agent::kMaxVariants)
    return fail(HostsFailure{fmt::format("more than {} variants", agent::kMaxVariants)});
  auto addresses = AgentAddresses::of(groups, {&members_[0].facts, &members_[1].facts}, number);
  if (!addresses) return fail(HostsFailure{addresses.error()});
  const Family family = addresses->family();

  std::optional<HostMtus> mtus;
  std::array<agent::Request, kHosts> requests;
  for (std::size_t host = 0; host < kHosts; ++host) {
    agent::SetUpVariant variant{.number = number,
                                .peer = *members_[1 - host].facts.address(family),
                                .offloads = offloads,
                                .pods = std::nullopt};
    if (!is_as_is()) {
      const node::Device& device = *device_to_peer(network);
      const Encapsulation encapsulation = device.encapsulation();
      const std::uint32_t link = std::min(members_[0].facts.mtu, members_[1].facts.mtu);
      mtus = {.link = link, .pod = link - overhead(encapsulation, family)};
      const auto& planned = network.nodes[0].pods;
      if (!planned.empty()) mtus->pod = std::min(mtus->pod, planned.front().mtu);
      variant.pods = PodNetwork{.encapsulation = encapsulation,
                                .vni = kFirstVni + number,
                                .udp_port = device.udp_port,
                                .mtu = mtus->pod,
                                .is_first = host == 0,
                                .own_range = agent_pod_range(family, host, number),
                                .peer_range = agent_pod_range(family, 1 - host, number),
                                .pods = addresses->pods_of(host)};
    }
    requests[host] = std::move(variant);
  }
  if (auto done = ask_both<agent::Done>(requests); !done) return fail(done.error());
  return std::make_unique<AgentCluster>(*this, number, *std::move(addresses), mtus);
}

template <typename Expected>
Result<std::vector<Expected>, HostsFailure> AgentPair::ask_both(
    const std::array<agent::Request, 2>& requests, std::chrono::milliseconds patience) {
  for (std::size_t host = 0; host < kHosts; ++host)
    if (auto sent = members_[host].client.send(requests[host]); !sent)
      return fail(failure(sent.error()));
  std::vector<Expected> answers;
  std::optional<HostsFailure> first;
  for (Member& member : members_) {
    auto answer = member.client.template receive<Expected>(patience);
    if (answer) {
      answers.push_back(*std::move(answer));
    } else if (!first || answer.error().is_lost) {
      first = failure(answer.error());
      if (first->is_final) break;
    }
  }
  if (first) return fail(*std::move(first));
  return answers;
}

Result<void, std::string> AgentPair::finish() {
  const agent::Request tear_down = agent::RemoveAll{};
  if (auto done = ask_both<agent::Done>({tear_down, tear_down}); !done)
    return fail(done.error().message);
  return {};
}

}  // namespace overlane::testbed
