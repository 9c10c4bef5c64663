#include "scenarios/spec/regimes.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "results/model/run_report.h"
#include "scenarios/spec/optional_fields.h"

namespace overlane::spec {

namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

constexpr std::array kRegimes = {
    RegimeFacts{
        Regime::Bbr, "bbr", "BBR congestion control",
        "sysctl `net.ipv4.tcp_congestion_control: bbr` of a Shoot's workers; `enable-bbr: "
        "\"true\"` of cilium-config. `congestionControl: bbr` in a Scenario is refused",
        "streams run CUBIC, or the congestionControl of the Scenario. BBR paces by the measured "
        "bandwidth and does not slow down for single losses, so its goodput and queueing delay "
        "differ most with loss, shallow queues and long round trips",
        "Linux 6.1 net/ipv4/tcp_bbr.c"},
    RegimeFacts{Regime::CongestionControl, "congestion-control",
                "the nodes' choice of congestion control",
                "sysctl `net.ipv4.tcp_congestion_control` of a Shoot's workers with another value "
                "than `cubic`",
                "streams run CUBIC, or the congestionControl of the Scenario, cubic or reno",
                "topologies/manifest: the sysctls of workers are not read"},
    RegimeFacts{Regime::Ecn, "ecn", "explicit congestion notification (ECN)",
                "sysctl `net.ipv4.tcp_ecn: \"1\"` (or 3, 4, 5) of a Shoot's workers",
                "queues drop packets instead of marking them, and senders learn of congestion by "
                "losses only",
                "RFC 3168"},
    RegimeFacts{
        Regime::HardwareGro, "hardware-gro", "hardware GRO", "`machine.offloads.rx-gro-hw: true`",
        "the kernel merges the packets of a poll (software GRO), so the receiving core takes "
        "time for each packet; with hardware GRO it takes less",
        "Linux 6.1 Documentation/networking/netdev-features.rst: rx-gro-hw"},
    RegimeFacts{Regime::LargeReceiveOffload, "lro", "large receive offload (LRO)",
                "`machine.offloads.large-receive-offload: true`",
                "the receiving core takes time for each packet. Linux disables LRO on devices that "
                "forward, such as uplinks of nodes with pods",
                "Linux 6.1 Documentation/networking/netdev-features.rst"},
    RegimeFacts{Regime::AdaptiveModeration, "adaptive-moderation", "adaptive interrupt moderation",
                "`machine.adaptiveRx: true`",
                "the minimum time between two interrupts is `interruptGap` under every load. An "
                "adaptive NIC waits less for single packets and longer in bulk traffic, so latency "
                "and the CPU time of interrupts change with the load",
                "Linux 6.1 Documentation/networking/net_dim.rst"},
    RegimeFacts{Regime::BigTcp, "big-tcp", "BIG TCP",
                "`machine.gsoMaxSize` above 65536; `enable-ipv4-big-tcp: \"true\"` or "
                "`enable-ipv6-big-tcp: \"true\"` of cilium-config",
                "socket buffers hold at most 64 KiB, so bulk streams pass the stack more often and "
                "take more CPU time",
                "Cilium documentation, Tuning Guide: BIG TCP"},
    RegimeFacts{Regime::Netkit, "netkit", "netkit devices",
                "`datapath-mode: netkit` or `netkit-l2` of cilium-config",
                "pods have veth pairs, whose queue between pod and host takes CPU time that netkit "
                "saves",
                "Cilium documentation, Tuning Guide: netkit device mode"},
    RegimeFacts{Regime::HostRouting, "host-routing",
                "host routing that does not follow from kube-proxy",
                "`enable-host-legacy-routing` of cilium-config: `\"true\"` without kube-proxy, or "
                "`\"false\"` with it",
                "without kube-proxy, eBPF programs carry packets between pods and NIC (eBPF host "
                "routing); with kube-proxy, packets pass the host's stack",
                "Cilium documentation, Tuning Guide: eBPF Host-Routing"},
    RegimeFacts{
        Regime::XdpAcceleration, "xdp-acceleration", "XDP acceleration of load balancing",
        "`bpf-lb-acceleration` of cilium-config, other than `disabled`",
        "packets to Services from outside the cluster are not simulated at all; XDP changes "
        "the CPU time of nodes that forward such packets",
        "Cilium documentation, Tuning Guide: XDP Acceleration"},
    RegimeFacts{Regime::Numa, "numa", "more than one NUMA node", "`machine.numaNodes` above 1",
                "memory is equally far from all cores and the NIC. A core of the other NUMA node "
                "takes longer for each packet and byte",
                "Linux 6.1 Documentation/mm/numa.rst"},
    RegimeFacts{Regime::FlowAllowance, "flow-allowance",
                "the cloud's limit on flows or tracked connections of a machine",
                "a Scenario whose flows of one node exceed the number in [Limits on "
                "flows](providers.md#limits-on-flows)",
                "packets of all flows pass. A cloud slows down or drops new connections",
                "Amazon EC2 user guide, Monitor network performance for ENA settings; Microsoft "
                "Learn, Explore data flows"},
};

/// A setting of a document that asks for a regime.
struct AskingKey {
  std::string_view key;
  Regime regime;
  bool (*asks)(std::string_view value);
};

bool is_true(std::string_view value) {
  return value == "true";
}
bool is_bbr(std::string_view value) {
  return value.starts_with("bbr");
}
bool is_neither_cubic_nor_bbr(std::string_view value) {
  return !value.empty() && value != "cubic" && !is_bbr(value);
}
/// 0: off, 2: only if the peer asks for it (the default); 1 asks for it, and 3 to 5 for AccECN.
bool asks_for_ecn(std::string_view value) {
  return value == "1" || value == "3" || value == "4" || value == "5";
}
bool is_netkit(std::string_view value) {
  return value.starts_with("netkit");
}
bool is_accelerated(std::string_view value) {
  return !value.empty() && value != "disabled";
}
bool is_given(std::string_view value) {
  return value == "true" || value == "false";
}

constexpr std::array kAskingSysctls = {
    AskingKey{"net.ipv4.tcp_congestion_control", Regime::Bbr, is_bbr},
    AskingKey{"net.ipv4.tcp_congestion_control", Regime::CongestionControl,
              is_neither_cubic_nor_bbr},
    AskingKey{"net.ipv4.tcp_ecn", Regime::Ecn, asks_for_ecn}};

/// Keys of cilium-config, which are flags of cilium-agent.
constexpr std::array kCiliumSettings = {
    AskingKey{"enable-bbr", Regime::Bbr, is_true},
    AskingKey{"enable-ipv4-big-tcp", Regime::BigTcp, is_true},
    AskingKey{"enable-ipv6-big-tcp", Regime::BigTcp, is_true},
    AskingKey{"datapath-mode", Regime::Netkit, is_netkit},
    AskingKey{"enable-host-legacy-routing", Regime::HostRouting, is_given},
    AskingKey{"bpf-lb-acceleration", Regime::XdpAcceleration, is_accelerated}};

void collect(const Value& settings, std::span<const AskingKey> keys, const ObjectName& object,
             std::vector<RegimeStatement>& statements) {
  if (!settings.is(document::Kind::Mapping)) return;
  for (const AskingKey& key : keys) {
    const Value value = settings[key.key];
    if (value.exists() && key.asks(value.text()))
      statements.push_back(statement(key.regime, value, object));
  }
}

}  // namespace

std::span<const RegimeFacts> regimes() {
  return kRegimes;
}

const RegimeFacts& facts(Regime regime) {
  return *std::ranges::find(kRegimes, regime, &RegimeFacts::regime);
}

RegimeStatement statement(Regime regime, const Value& value, ObjectName object) {
  return {.regime = regime,
          .setting = fmt::format("{}: {}", value.key(), value.text()),
          .object = std::move(object),
          .path = value.path_within_object(),
          .place = value.place(),
          .hint = regime == Regime::CongestionControl && value.text() == "reno"
                      ? "write congestionControl: reno for the traffic of a Scenario"
                      : ""};
}

std::vector<RegimeStatement> regimes_of(const document::Tree& document) {
  std::vector<RegimeStatement> statements;
  const Value root = document.root();
  if (!root.is(document::Kind::Mapping)) return statements;
  const std::string_view kind = root["kind"].text();
  ObjectName object = document::object_of(document);
  object.namespace_ = root["metadata"]["namespace"].text();
  if (kind == "ConfigMap" && object.name == "cilium-config")
    collect(root["data"], kCiliumSettings, object, statements);
  if (kind != "Shoot") return statements;
  const Value workers = root["spec"]["provider"]["workers"];
  if (!workers.is(document::Kind::Sequence)) return statements;
  for (const Value worker : workers)
    collect(worker["sysctls"], kAskingSysctls, object, statements);
  return statements;
}

std::vector<RegimeStatement> decode_regimes(Fields& machine, Fields& offloads) {
  constexpr std::uint32_t kLargestGso =
      65'536;  // GSO_LEGACY_MAX_SIZE: the largest without BIG TCP.
  constexpr std::uint32_t kMaxGso = 8 * 65'535;  // GSO_MAX_SIZE of Linux: 8 * GSO_MAX_SEGS.
  constexpr std::uint32_t kMaxNumaNodes = 64;
  std::vector<RegimeStatement> statements;
  const auto add = [&](bool asks, Regime regime, const Fields& fields, std::string_view key) {
    if (asks) statements.push_back(statement(regime, fields.value()[key], {}));
  };
  const auto hardware = offloads.boolean(
      FieldKey("rx-gro-hw", "The NIC merges packets of a stream; not modelled if true."));
  add(hardware.value_or(false), Regime::HardwareGro, offloads, "rx-gro-hw");
  const auto large =
      offloads.boolean(FieldKey("large-receive-offload",
                                "The NIC merges packets without keeping their borders; not "
                                "modelled if true."));
  add(large.value_or(false), Regime::LargeReceiveOffload, offloads, "large-receive-offload");
  const auto adaptive = machine.boolean(
      FieldKey("adaptiveRx",
               "The driver adapts interruptGap to the load (ethtool -c, adaptive-rx); not modelled "
               "if true."));
  add(adaptive.value_or(false), Regime::AdaptiveModeration, machine, "adaptiveRx");
  const auto gso = count_between(
      machine,
      FieldKey("gsoMaxSize",
               "The largest socket buffer in bytes (ip -d link, gso_max_size), 65536 by default; "
               "larger ones, BIG TCP, are not modelled."),
      kLargestGso, kMaxGso);
  add(gso.value_or(kLargestGso) > kLargestGso, Regime::BigTcp, machine, "gsoMaxSize");
  const auto numa = count_between(
      machine,
      FieldKey("numaNodes",
               "NUMA nodes of the machine (lscpu), 1 by default; more are not modelled."),
      1, kMaxNumaNodes);
  add(numa.value_or(1) > 1, Regime::Numa, machine, "numaNodes");
  return statements;
}

Finding unsupported(const RegimeStatement& statement) {
  const RegimeFacts& regime = facts(statement.regime);
  const std::string owner = statement.object.qualified();
  return {.rule = std::string(model::kUnsupportedRegime),
          .severity = Severity::Warning,
          .message = fmt::format("{}{}not modelled: {} ({}): {}", owner, owner.empty() ? "" : ": ",
                                 regime.title, statement.setting, regime.left_out),
          .object = statement.object,
          .path = statement.path,
          .place = statement.place,
          .hint = statement.hint};
}

}  // namespace overlane::spec
