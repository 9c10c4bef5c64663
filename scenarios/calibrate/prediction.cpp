#include "scenarios/calibrate/prediction.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scenarios/calibrate/uncertainty.h"
#include "scenarios/spec/cost_profile.h"
#include "topologies/compile/compile.h"
#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/graph/topology.h"
#include "topologies/manifest/documents/manifest_set.h"

namespace overlane::calibrate {
namespace {

constexpr std::string_view kShoot = R"(apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {{name: hosts, namespace: garden-calibrate}}
spec:
  cloudProfile: {{name: aws}}
  region: eu-central-1
  credentialsBindingName: team-aws
  provider:
    type: aws
    infrastructureConfig:
      apiVersion: aws.provider.extensions.gardener.cloud/v1alpha1
      kind: InfrastructureConfig
      networks:
        vpc: {{cidr: 10.250.0.0/16}}
        zones:
        - name: eu-central-1a
          workers: 10.250.0.0/17
          public: 10.250.128.0/22
          internal: 10.250.132.0/22
    workers:
    - name: hosts
      machine: {{type: m5.large}}
      minimum: 2
      maximum: 2
      volume: {{type: gp3, size: 50Gi}}
      zones: [eu-central-1a]
  networking:
    type: {type}
    pods: 100.96.0.0/11
    services: 100.64.0.0/13
    nodes: 10.250.0.0/16
    providerConfig: {config}
  kubernetes: {{version: 1.33.3}}
)";

/// The network type and NetworkConfig for an encapsulation.
struct Manifest {
  std::string_view type;
  std::string_view config;
};

constexpr Manifest manifest_for(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return {"calico",
              "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, overlay: {enabled: false}}"};
    case Encapsulation::Vxlan:
      return {"calico",
              "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, overlay: {enabled: true}, vxlan: {enabled: true}}"};
    case Encapsulation::Geneve:
      return {"cilium",
              "{apiVersion: cilium.networking.extensions.gardener.cloud/v1alpha1, "
              "kind: NetworkConfig, tunnel: geneve, overlay: {enabled: true}}"};
    case Encapsulation::Ipip:
    case Encapsulation::Sit:
    case Encapsulation::Ip6Tnl:
    case Encapsulation::Wireguard:
      break;
  }
  return {"calico",
          "{apiVersion: calico.networking.extensions.gardener.cloud/v1alpha1, "
          "kind: NetworkConfig, overlay: {enabled: true}, vxlan: {enabled: false}}"};
}

std::string first(const Findings& findings, std::string_view otherwise) {
  return findings.empty() ? std::string(otherwise) : findings.front().to_string();
}

Parsed<effective::EffectiveDataplane> derive(const System& system, std::uint32_t link_mtu) {
  const Manifest manifest = manifest_for(system.encapsulation);
  const std::string text =
      fmt::format(kShoot, fmt::arg("type", manifest.type), fmt::arg("config", manifest.config));
  manifest::ManifestSet set = manifest::decode(document::parse(text, "<calibrate>"));
  if (set.clusters.size() != 1) return fail(first(set.findings, "the manifest holds no shoot"));
  manifest::PodNetworkSpec& spec = set.clusters.front();
  spec.shoot.link_mtu = manifest::Located<std::int64_t>{link_mtu, {}, "spec"};
  auto shoot = derive::derive(spec, derive::StageChoice::Create);
  if (!shoot) return fail(shoot.error().to_string());
  const effective::Dataplane& dataplane = shoot->dataplane;
  if (to_string(dataplane.encapsulation) != to_string(system.encapsulation) ||
      dataplane.cross_subnet) {
    return fail(fmt::format("the shoot's pods get {}, not {}", to_string(dataplane.encapsulation),
                            to_string(system.encapsulation)));
  }
  return *std::move(shoot);
}

/// Sets the measured pod MTU instead of the derived one.
void set_pod_mtu(effective::Dataplane& dataplane, std::uint32_t mtu) {
  dataplane.pod_mtu = mtu;
  if (dataplane.pod_device_mtu != 0) dataplane.pod_device_mtu = dataplane.pod_mtu;
}

host::Machine machine(const MeasurementTable& table, const MeasurementRow& row) {
  const spec::MachineSpec& given = table.hosts.machine;
  host::Machine machine = host::usual_machine(table.hosts.wire);
  machine.cores = given.cores.value_or(machine.cores);
  machine.threads_per_core = given.threads_per_core.value_or(machine.threads_per_core);
  machine.nic_rate = given.nic.value_or(host::kVethRate);
  machine.nic_queues = given.queues.value_or(machine.nic_queues);
  machine.receive_ring_packets = given.receive_ring.value_or(machine.receive_ring_packets);
  machine.interrupt_gap = given.interrupt_gap.value_or(machine.interrupt_gap);
  machine.rps = given.rps.value_or(machine.rps);
  machine.udp_rss = given.udp_rss.value_or(machine.udp_rss);
  machine.ipip_rss = given.ipip_rss.value_or(machine.ipip_rss);
  machine.udp_tunnel_rss = given.udp_tunnel_rss.value_or(machine.udp_tunnel_rss);
  apply(given.offloads, machine.offloads);
  apply(table.system_of(row).offloads, machine.offloads);
  apply(row.offloads, machine.offloads);
  return machine;
}

}  // namespace

std::uint32_t pod_mtu(const MeasurementTable& table, const MeasurementRow& row) {
  const System& system = table.system_of(row);
  if (row.pod_mtu) return *row.pod_mtu;
  if (system.pod_mtu) return *system.pod_mtu;
  const std::uint32_t link = row.link_mtu.value_or(table.hosts.link_mtu);
  return link - std::min(link, std::uint32_t{facts(system.encapsulation).overhead_over_ipv4});
}

Parsed<TwoHosts> make_two_hosts(const MeasurementTable& table, const MeasurementRow& row) {
  const System& system = table.system_of(row);
  auto shoot = derive(system, row.link_mtu.value_or(table.hosts.link_mtu));
  if (!shoot) return fail(shoot.error());
  set_pod_mtu(shoot->dataplane, pod_mtu(table, row));
  const auto topology = graph::Topology::build({.shoot = &*shoot});
  if (!topology) return fail(topology.error().to_string());
  auto states = compile::compile(*topology, *shoot);
  if (!states) return fail(states.error().to_string());
  if (!states->findings.empty()) return fail(states->findings.front().to_string());

  TwoHosts hosts;
  const auto end = [&](std::uint32_t pod) {
    const graph::Pod& entry = topology->pods()[pod];
    return run::PodEnd{entry.node, *entry.address.in(Family::Ipv4)};
  };
  hosts.pods = {end(0), end(1)};
  hosts.network.nodes = std::move(states->nodes);
  hosts.network.fabric = std::move(states->fabric);
  hosts.network.machines.assign(2, machine(table, row));
  hosts.network.wire = table.hosts.wire;
  hosts.network.datapath = system.datapath;
  return hosts;
}

cost::CostProfile costs_under(const HostModel& model, std::string_view kernel) {
  const auto scale = model.kernels.find(kernel);
  return scale == model.kernels.end() ? model.costs
                                      : spec::under_kernel(model.costs, scale->second);
}

namespace {

using cost::Stage;
using cost::StageCost;

struct StageConstant {
  Stage stage;
  Constant constant;
  Constant per_byte;  ///< Scales the cost per byte.
};

/// The stages of Services are not listed: tables measure pod-to-pod traffic, so these stages keep
/// the prior's costs.
constexpr std::array kStageConstants = {
    StageConstant{Stage::Connection, Constant::Connections, Constant::Connections},
    StageConstant{Stage::SystemCall, Constant::SystemCalls, Constant::SystemCalls},
    StageConstant{Stage::SocketSend, Constant::Sockets, Constant::CopySend},
    StageConstant{Stage::DriverSend, Constant::Nic, Constant::Nic},
    StageConstant{Stage::Segment, Constant::Segmentation, Constant::Segmentation},
    StageConstant{Stage::Interrupt, Constant::Interrupts, Constant::Interrupts},
    StageConstant{Stage::NapiReceive, Constant::Nic, Constant::Nic},
    StageConstant{Stage::WakeUp, Constant::WakeUp, Constant::WakeUp},
    StageConstant{Stage::SocketReceive, Constant::Sockets, Constant::CopyReceive},
    StageConstant{Stage::WakeIpi, Constant::WakeUp, Constant::WakeUp},
    StageConstant{Stage::Sleep, Constant::Sleep, Constant::Sleep},
    StageConstant{Stage::PodSleep, Constant::PodSleep, Constant::PodSleep},
    StageConstant{Stage::Veth, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Netfilter, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Fib, Constant::PodPath, Constant::PodPath},
    StageConstant{Stage::Headroom, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EncapIpip, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EncapVxlan, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::DecapIpip, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::DecapVxlan, Constant::Tunnel, Constant::Tunnel},
    StageConstant{Stage::EbpfPass, Constant::EbpfPath, Constant::EbpfPath},
    StageConstant{Stage::EbpfEncap, Constant::EbpfTunnel, Constant::EbpfTunnel},
    StageConstant{Stage::EbpfDecap, Constant::EbpfTunnel, Constant::EbpfTunnel},
    StageConstant{Stage::Vhost, Constant::Vhost, Constant::VhostCopy},
};

double factor_of(const Factors& factors, Constant constant) {
  return factors[static_cast<std::size_t>(constant)];
}

double nanoseconds(Picos time) {
  return static_cast<double>(time.count) / 1000;
}

}  // namespace

HostModel with_factors(const HostModel& prior, const Factors& factors) {
  HostModel model = prior;
  for (const StageConstant& row : kStageConstants) {
    const StageCost& before = prior.costs[row.stage];
    StageCost& cost = model.costs[row.stage];
    cost = spec::scaled(before, factor_of(factors, row.constant));
    cost.per_byte = spec::scaled(before, factor_of(factors, row.per_byte)).per_byte;
  }
  const double latency = factor_of(factors, Constant::Latency);
  model.latency = picoseconds(std::llround(static_cast<double>(prior.latency.count) * latency));
  return model;
}

std::vector<Constant> constants_of(Stage stage) {
  const auto row = std::ranges::find(kStageConstants, stage, &StageConstant::stage);
  if (row == kStageConstants.end()) return {};
  if (row->per_byte == row->constant) return {row->constant};
  return {row->constant, row->per_byte};
}

bool exists(Constant constant, cost::Wire wire) {
  const bool of_vhost = constant == Constant::Vhost || constant == Constant::VhostCopy;
  return !of_vhost || wire == cost::Wire::Virtio;
}

bool meets(const System& system, Constant constant) {
  const bool tunnelled = system.encapsulation != Encapsulation::None;
  switch (constant) {
    case Constant::PodSleep:
      return system.datapath != cost::Datapath::Host;
    case Constant::PodPath:
      return system.datapath == cost::Datapath::Netfilter;
    case Constant::EbpfPath:
      return system.datapath == cost::Datapath::Ebpf;
    case Constant::Tunnel:
      return tunnelled && system.datapath != cost::Datapath::Ebpf;
    case Constant::EbpfTunnel:
      return tunnelled && system.datapath == cost::Datapath::Ebpf;
    case Constant::Connections:
    case Constant::SystemCalls:
    case Constant::Sockets:
    case Constant::CopySend:
    case Constant::CopyReceive:
    case Constant::Nic:
    case Constant::Interrupts:
    case Constant::WakeUp:
    case Constant::Sleep:
    case Constant::Segmentation:
    case Constant::Vhost:
    case Constant::VhostCopy:
    case Constant::Latency:
      break;
  }
  return true;
}

double nanoseconds_of(Constant constant, const HostModel& model) {
  if (constant == Constant::Latency) return nanoseconds(model.latency);
  double sum = 0;
  for (const StageConstant& row : kStageConstants) {
    const StageCost& cost = model.costs[row.stage];
    if (row.constant == constant) sum += nanoseconds(cost.per_skb) + nanoseconds(cost.per_packet);
    if (row.per_byte == constant && row.per_byte != row.constant) sum += nanoseconds(cost.per_byte);
  }
  return sum;
}

namespace {

using model::TrafficKind;

/// Which flows share a core depends on their ports: the mean of this many runs is used, by span.
/// With few flows, one pair that shares a core weighs more. Long spans need fewer: they mostly show
/// whether the span before is steady, and a second of 100 Gbit/s takes a core several seconds.
constexpr std::array<std::uint64_t, kSpans.size()> kRunsOfFewFlows = {12, 12, 2, 1};
constexpr std::array<std::uint64_t, kSpans.size()> kRunsOfManyFlows = {4, 4, 2, 1};
constexpr std::uint32_t kMaxFewFlows = 4;
constexpr Picos kStartSpread = microseconds(100);
/// Jitter is the latency divided by this: enough to desynchronise equal flows, too little to
/// matter.
constexpr std::int64_t kJitterShare = 20;
/// More than any sender reaches: its own costs, the NIC or the socket's buffer limit it.
constexpr BitsPerSecond kAsFastAsItCan{1'000'000'000'000};

}  // namespace

run::TrafficGroup traffic_of(const Trial& trial) {
  const MeasurementRow& row = *trial.row;
  return {.name = "row",
          .kind = row.kind,
          .pairs = {trial.hosts.pods},
          .flows_per_pair = row.flows,
          .rate = row.rate.value_or(kAsFastAsItCan),
          .payload_bytes = std::max(row.payload_bytes, 1u),
          .dont_fragment = false,
          .connections = row.connection_per_request ? run::Connections::PerRequest
                                                    : run::Connections::KeepAlive,
          .request_bytes = row.request_bytes,
          .response_bytes = row.response_bytes,
          .over_udp = row.over_udp};
}

namespace {

/// Each flow has one request at a time, so the rate is flows / latency.
double transactions_per_second(const MeasurementRow& row, const run::Measurement& measured) {
  const auto mean = static_cast<double>(measured.traffic.front().latency_ns.mean());
  return mean == 0 ? 0 : row.flows * 1e9 / mean;
}

double figure_of(Quantity quantity, const Trial& trial, const run::Measurement& measured) {
  const auto load = [&](std::size_t node) {
    return static_cast<double>(measured.node_busy_ppm[node]) / 1e6;
  };
  const auto per_transaction = [&](std::size_t node) {
    const double rate = transactions_per_second(*trial.row, measured);
    const double busy = load(node) * trial.hosts.network.machines[node].cores;
    return rate == 0 ? 0 : busy * 1e9 / rate;
  };
  switch (quantity) {
    case Quantity::Throughput:
      return static_cast<double>(measured.traffic.front().goodput_bps);
    case Quantity::Transactions:
      return transactions_per_second(*trial.row, measured);
    case Quantity::ClientCpu:
      return per_transaction(0);
    case Quantity::ServerCpu:
      return per_transaction(1);
    case Quantity::ClientLoad:
      return load(0);
    case Quantity::ServerLoad:
      return load(1);
  }
  return 0;
}

std::uint64_t count_runs(const Trial& trial) {
  const std::uint32_t flows = trial.row->flows;
  if (flows == 1) return 1;
  return (flows <= kMaxFewFlows ? kRunsOfFewFlows : kRunsOfManyFlows)[trial.span];
}

/// The figures of the run with this seed.
Parsed<Prediction> simulate(const PredictionRequest& request, std::uint64_t seed) {
  const Trial& trial = *request.trial;
  run::Network network = trial.hosts.network;
  network.costs = costs_under(*request.model, trial.row->kernel);
  network.paths.within_zone = request.model->latency;
  network.paths.jitter = request.model->latency / kJitterShare;
  const Picos span = kSpans[trial.span];
  const auto measured = run::run(
      network, {traffic_of(trial)},
      {.duration = span, .warm_up = span * 2 / 7, .seed = seed, .start_spread = kStartSpread});
  if (!measured) return fail(measured.error());
  if (measured->byte_path.mismatched > 0) {
    return fail("the byte path disagrees: " + measured->first_mismatch);
  }
  Prediction prediction;
  for (const Figure& figure : trial.row->figures)
    prediction.push_back(figure_of(figure.quantity, trial, *measured));
  return prediction;
}

/// The figures of each run of a trial, in the order of seeds.
using Runs = std::vector<Prediction>;

/// The runs of each request, in parallel.
Parsed<std::vector<Runs>> simulate(std::span<const PredictionRequest> requests,
                                   std::uint32_t threads, const runner::TasksDone& progress) {
  struct Task {
    std::size_t request;
    std::uint64_t seed;
  };
  std::vector<Task> tasks;
  for (std::size_t r = 0; r < requests.size(); ++r) {
    const std::uint64_t only = requests[r].seed;
    const std::uint64_t last = only != 0 ? only : count_runs(*requests[r].trial);
    for (std::uint64_t seed = std::max<std::uint64_t>(only, 1); seed <= last; ++seed)
      tasks.push_back({r, seed});
  }
  std::vector<std::optional<Parsed<Prediction>>> answers(tasks.size());
  runner::in_parallel(
      tasks.size(), runner::thread_count(threads),
      [&](std::size_t t) { answers[t] = simulate(requests[tasks[t].request], tasks[t].seed); },
      progress);
  std::vector<Runs> runs(requests.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    if (!*answers[t]) return fail(std::move(answers[t]->error()));
    runs[tasks[t].request].push_back(**std::move(answers[t]));
  }
  return runs;
}

/// The mean of the first runs.
Prediction mean(const Runs& runs, std::size_t count) {
  Prediction sum(runs.front().size());
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t f = 0; f < sum.size(); ++f)
      sum[f] += runs[r][f] / static_cast<double>(count);
  return sum;
}

}  // namespace

Parsed<std::vector<Trial>> make_trials(const MeasurementTable& table,
                                       bool (*wanted)(const MeasurementRow&)) {
  std::vector<Trial> trials;
  for (const MeasurementRow& row : table.rows) {
    if (!wanted(row)) continue;
    auto hosts = make_two_hosts(table, row);
    if (!hosts) return fail(fmt::format("{}: {}", row.place.to_string(), hosts.error()));
    trials.push_back({&row, *std::move(hosts)});
  }
  return trials;
}

Parsed<std::vector<Prediction>> predict(std::span<const PredictionRequest> requests,
                                        std::uint32_t threads, const runner::TasksDone& progress) {
  const auto runs = simulate(requests, threads, progress);
  if (!runs) return fail(runs.error());
  std::vector<Prediction> predictions;
  for (const Runs& of_request : *runs)
    predictions.push_back(mean(of_request, of_request.size()));
  return predictions;
}

namespace {

/// Whether the runs over two spans have equal figures. Runs with equal seeds are compared: they
/// differ in their span alone.
bool are_steady(const Trial& trial, const Runs& shorter, const Runs& longer) {
  const std::size_t count = std::min(shorter.size(), longer.size());
  if (count == 0) return false;
  const Prediction before = mean(shorter, count), after = mean(longer, count);
  for (std::size_t f = 0; f < before.size(); ++f) {
    const double within = kSteadyWithin * model_error(trial.row->figures[f].quantity);
    if (std::abs(after[f] - before[f]) > within * std::max(before[f], after[f])) return false;
  }
  return true;
}

}  // namespace

Parsed<std::vector<SteadyPrediction>> predict_steady(std::span<const Trial> trials,
                                                     const HostModel& model, std::uint32_t threads,
                                                     const runner::TasksDone& progress) {
  struct Changing {
    std::size_t place;  ///< In `trials`.
    Trial trial;
    Runs runs;  ///< Over the previous span.
  };
  std::vector<Changing> changing;
  for (std::size_t i = 0; i < trials.size(); ++i)
    changing.push_back({i, trials[i], {}});
  std::vector<SteadyPrediction> predictions(trials.size());
  for (std::size_t span = 0; span < kSpans.size() && !changing.empty(); ++span) {
    std::vector<PredictionRequest> requests;
    for (Changing& each : changing) {
      each.trial.span = span;
      requests.push_back({&each.trial, &model});
    }
    auto runs = simulate(requests, threads, progress);
    if (!runs) return fail(runs.error());
    for (std::size_t i = 0; i < changing.size(); ++i) {
      Runs &shorter = changing[i].runs, &longer = (*runs)[i];
      const bool is_steady = are_steady(changing[i].trial, shorter, longer);
      const Runs& steady = is_steady ? shorter : longer;
      predictions[changing[i].place] = {mean(steady, steady.size()), is_steady ? span - 1 : span,
                                        is_steady};
      shorter = std::move(longer);
    }
    std::erase_if(changing,
                  [&](const Changing& each) { return predictions[each.place].is_steady; });
  }
  return predictions;
}

}  // namespace overlane::calibrate
