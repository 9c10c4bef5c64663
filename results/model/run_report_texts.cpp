#include "results/model/run_report_texts.h"

#include <array>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

// The descriptions of the fields of a RunReport. An entry names a field by the end of its path, and
// the entry with the longest name describes the field: "movements.before" describes the figure of a
// limit, "before" the figure of any other list. An index of a list is not part of a path.

namespace overlane::model {
namespace {

using Json = nlohmann::ordered_json;

struct PathText {
  std::string_view path;
  std::string_view text;
};

constexpr std::array kTexts = {
    PathText{"schema_version", "Version of this format."},
    PathText{"kind", "Kind of the document."},
    PathText{"scenario", "Name of the Scenario."},
    PathText{"executor", "Executor of the scenario: the packet engine (sim) or a Linux kernel."},
    PathText{"seed", "Seed of all random streams."},
    PathText{"seeds", "Seed of each repetition; the first one is `seed`."},
    PathText{"result_hash", "XXH3-128 of the results, as 32 hexadecimal digits."},
    PathText{"cost_profile", "Name of the CostProfile; none: CPU time is free."},
    PathText{"cost_hosts", "Profiles of the hosts that the cost profile is the mean of."},
    PathText{"shoot", "The shoot, as namespace/name."},

    PathText{"assumptions", "Parameters that no given document sets, with their defaults."},
    PathText{"parameter", "Name of the parameter."},
    PathText{"assumptions.value", "The default, with its unit."},
    PathText{"assumptions.range", "Plausible range of the value; may be empty."},
    PathText{"source", "Source of the value."},
    PathText{"tag", "Origin of the value: default, derived or from-memory."},

    PathText{"variants", "Results of each variant, in the order of the Scenario."},
    PathText{"variants.name", "Name of the variant."},
    PathText{"status", "Whether the variant ran, or why not."},
    PathText{"reason", "Why the status is not ok, or a condition; may be empty."},
    PathText{"ending", "How the variant's runs ended."},

    PathText{"dataplane", "The effective dataplane, in the words of `overlane explain`."},
    PathText{"mode", "Dataplane mode."},
    PathText{"encapsulation", "Encapsulation between nodes."},
    PathText{"cross_subnet", "Whether only packets between subnets are encapsulated."},
    PathText{"backend", "Backend of the CNI."},
    PathText{"routes_by", "The component that writes the routes to pods."},
    PathText{"service_routing", "How packets to Services are routed."},
    PathText{"encryption", "Encryption between nodes."},
    PathText{"link_mtu", "MTU of the nodes' uplinks, in bytes."},
    PathText{"pod_mtu", "MTU of the pods, in bytes."},
    PathText{"overhead_bytes", "Outer headers of a packet, in bytes."},

    PathText{"byte_path", "Comparison of sampled packets with the byte path."},
    PathText{"checked", "Number of sampled decisions."},
    PathText{"mismatched", "Number of decisions that differ from the byte path."},

    PathText{"variants.traffic", "Results of each traffic group."},
    PathText{"traffic", "Name of the traffic group."},
    PathText{"series.traffic", "Each traffic group over time."},
    PathText{"traffic.name", "Name of the traffic group."},
    PathText{"traffic.kind", "Kind of the traffic."},
    PathText{"throughput_bps", "IP bytes of pod packets delivered after warm-up, in bit/s."},
    PathText{"goodput_bps", "Application payload read after warm-up, in bit/s."},
    PathText{"packets", "Packets on the wire over the whole run."},
    PathText{"sent", "Number of packets sent."},
    PathText{"delivered", "Number of packets delivered."},
    PathText{"dropped", "Number of packets dropped."},
    PathText{"in_flight", "Number of packets under way when the run ended."},
    PathText{"latency_ns", "Latency after warm-up, in nanoseconds; null without a sample."},
    PathText{
        "completion_ns",
        "Duration of completed transfers with the handshake, in nanoseconds; null without one."},
    PathText{"min", "Smallest value, in nanoseconds."},
    PathText{"mean", "Mean, in the unit of the figure."},
    PathText{"p50", "Median, in nanoseconds."},
    PathText{"p90", "90th percentile, in nanoseconds."},
    PathText{"p99", "99th percentile, in nanoseconds."},
    PathText{"p999", "99.9th percentile, in nanoseconds."},
    PathText{"max", "Largest value, in nanoseconds."},
    PathText{"count", "Number of values."},
    PathText{"sum", "Sum of the values in nanoseconds, as decimal digits."},
    PathText{"buckets", "Buckets that hold values, as end:count, ends in nanoseconds."},
    PathText{"transactions", "Number of transfers or answered requests after warm-up."},
    PathText{"drops", "Number of dropped packets by reason; only reasons that occurred."},
    PathText{"connections_per_second",
             "Connections opened per second after warm-up, if the nodes limit their number."},
    PathText{"cpu", "CPU time of the measured machine for what the group received."},
    PathText{"user_ns_per_gb", "User time, in nanoseconds per 10^9 bytes of payload."},
    PathText{"system_ns_per_gb", "System time, in nanoseconds per 10^9 bytes of payload."},
    PathText{"softirq_ns_per_gb",
             "Time of interrupts and softirqs, in nanoseconds per 10^9 bytes of payload."},
    PathText{"ns_per_message", "All CPU time, in nanoseconds per datagram or response."},
    PathText{"interruptions", "Flows that the run's events interrupted, for 1 ms or longer."},
    PathText{"flows", "Number of flows of the group."},
    PathText{"interrupted", "Number of interrupted flows."},
    PathText{"not_resumed", "Number of flows that were interrupted until the run ended."},
    PathText{"longest_ns",
             "Longest interruption of each interrupted flow, in nanoseconds; null without one."},
    PathText{"steady_state", "Whether the goodput was steady; null if unknown."},
    PathText{"latency_steady_state", "Whether the latency was steady; null if unknown."},
    PathText{"reached", "Whether the figure was steady during the measurement window."},
    PathText{"from_ns", "Start of the steady part of the run, in nanoseconds."},
    PathText{"drift_ppm", "Change from the first to the last third, in ppm of the mean."},
    PathText{"bias_ppm", "Bias by the part before the steady one, in ppm of the steady mean."},
    PathText{"method", "Method that finds the start of the steady part."},
    PathText{"traffic.repetitions", "Each figure in all repetitions of the run."},
    PathText{"metric", "Name of the figure; its ending names the unit."},
    PathText{"values", "The value of each repetition, in the unit of the figure."},
    PathText{"ci95_low", "Lower end of the mean's 95 % confidence interval."},
    PathText{"ci95_high", "Upper end of the mean's 95 % confidence interval."},

    PathText{"limits", "The bottleneck of each flow."},
    PathText{"flow", "Number of the flow within its group, from 0."},
    PathText{"station", "Place that limits the flow, such as link node-1 eth0."},
    PathText{"constant", "Name of the constant."},
    PathText{"limits.constant", "The constant that limits the flow, with its value."},
    PathText{"state_entry", "The responsible entry of a node's state; null without one."},
    PathText{"movements", "Effect of changing each constant by 10 %, the largest first."},
    PathText{"movements.value", "Value of the constant, with its unit."},
    PathText{"moved_to", "Changed value of the constant, with its unit."},
    PathText{"before", "The figure with the constant as it is."},
    PathText{"after", "The figure with the changed constant."},
    PathText{"also", "Other figures that changed with it."},

    PathText{"nodes", "CPU use of the nodes; null if the variant did not run."},
    PathText{"series.nodes", "All nodes over time."},
    PathText{"cpu_utilisation", "Busy time of the nodes' cores."},
    PathText{"cpu_utilisation.mean", "Mean of all nodes, as a fraction."},
    PathText{"cpu_utilisation.max", "The busiest node, as a fraction."},

    PathText{"explained", "Sensitivity of figures to the constants of the run, if requested."},
    PathText{"explained.traffic", "Name of the traffic group; null: all traffic."},

    PathText{"engine", "Facts about the simulation; null if the variant did not run."},
    PathText{"engine.events", "Number of simulated events."},
    PathText{"packet_hops", "Traversals of one link by one packet."},
    PathText{"setup_seconds", "Wall-clock time of the preparation, in seconds."},
    PathText{"loop_seconds", "Wall-clock time of the event loop, in seconds."},
    PathText{"threads", "Number of threads that simulated one run."},
    PathText{"one_thread_because", "Why one thread ran although more were free."},

    PathText{"series", "The figures over time, one entry per run, if requested."},
    PathText{"end_ns", "End of each interval since the start of the run, in nanoseconds."},
    PathText{"series.traffic.throughput_bps", "Throughput of each interval, in bit/s."},
    PathText{"series.traffic.goodput_bps", "Goodput of each interval, in bit/s."},
    PathText{"series.traffic.packets", "Packets of each interval."},
    PathText{"series.traffic.packets.sent", "Packets sent in each interval."},
    PathText{"series.traffic.packets.delivered", "Packets delivered in each interval."},
    PathText{"series.traffic.drops", "Packets dropped in each interval, by reason."},
    PathText{"cpu_utilisation_ppm", "CPU use of each interval, in ppm; null if CPU time is free."},
    PathText{"cpu_utilisation_ppm.mean", "Mean of all nodes in each interval, in ppm."},
    PathText{"cpu_utilisation_ppm.max", "The busiest node in each interval, in ppm."},
    PathText{"nic_queue_packets_max", "Fullest transmit queue of a NIC, in packets."},
    PathText{"nic_queue_bytes_max", "Fullest transmit queue of a NIC, in bytes of frames."},
    PathText{"receive_ring_packets_max", "Fullest receive ring of a core, in packets."},
    PathText{"port_queue_packets_max", "Fullest queue of the fabric's link to a node, in packets."},
    PathText{"rack_link_queue_packets_max",
             "Fullest queue of a link between leaf and spine, in packets."},
    PathText{"each_node", "Each node over time, if requested."},
    PathText{"each_node.name", "Name of the node."},

    PathText{"variants.kernel", "How the variant was measured on a Linux kernel."},
    PathText{"release", "Release of the kernel."},
    PathText{"wire", "Connection between the nodes, such as veth pair."},
    PathText{"segmentation", "Whether devices take buffers of several segments (GSO, TSO)."},
    PathText{"receive", "Whether devices merge received segments (GRO)."},
    PathText{"emulated",
             "Whether the kernel was user-mode Linux, whose times are not those of a machine."},
    PathText{"slices", "Number of slices in which each traffic was measured."},
    PathText{"losses", "Increase of the kernel's counters of lost packets, by name."},
    PathText{"hosts", "The machines that were the nodes."},
    PathText{"address", "Address of the host's agent."},
    PathText{"hosts.kernel", "Release of the host's kernel."},
    PathText{"processors", "Number of processors."},
    PathText{"uplink", "Device that leads to the other host."},
    PathText{"mtu", "MTU of the uplink, in bytes."},

    PathText{"steps", "Changes of the states by the run's events, if requested."},
    PathText{"at_ns", "Time since the start of the run, in nanoseconds."},
    PathText{"what", "The event, such as remove-cloud-route node-2."},
    PathText{"lines", "The changes, one line each; empty: none."},

    PathText{"comparison", "Ratios of figures of a variant to those of the baseline."},
    PathText{"variant", "Name of the variant."},
    PathText{"baseline", "Name of the baseline variant."},
    PathText{"ratio_ppm", "The ratio, in ppm; null if the baseline's figure is zero."},
    PathText{"comparison.repetitions", "The ratio in each repetition."},
    PathText{"comparison.repetitions.values", "The ratio of each repetition, in ppm."},
    PathText{"range", "The ratio over the cost profile and those of `cost_hosts`."},
    PathText{"low_ppm", "Smallest ratio, in ppm."},
    PathText{"high_ppm", "Largest ratio, in ppm."},

    PathText{"environment", "The build of the program and the machine that it ran on."},
    PathText{"overlane_version", "Version of the program."},
    PathText{"commit", "Commit of the source; -dirty if files differed from it."},
    PathText{"compiler", "Compiler and its version."},
    PathText{"flags", "Options of the compiler."},
    PathText{"build_type", "Build type of CMake."},
    PathText{"cpu_model", "Model of the processor."},
    PathText{"kernel", "Release of the machine's kernel."},
    PathText{"cores", "Number of cores."},
    PathText{"memory_bytes", "Memory of the machine, in bytes."},
    PathText{"load", "Load average of the last minute, in processes."},
    PathText{"hugepages", "The kernel's pool of huge pages of the default size."},
    PathText{"total", "Number of huge pages."},
    PathText{"free", "Number of free huge pages."},
    PathText{"size_bytes", "Size of a huge page, in bytes."},
    PathText{"started_ms", "Unix time when the program started, in milliseconds."},

    PathText{"findings", "Findings about the inputs and the run."},
    PathText{"rule", "Id of the rule."},
    PathText{"severity", "Severity of the finding."},
    PathText{"message", "The finding in one sentence."},
    PathText{"object", "The object that the finding is about."},
    PathText{"object.kind", "Kind of the object."},
    PathText{"object.name", "Name of the object."},
    PathText{"namespace", "Namespace of the object."},
    PathText{"path", "Path of the field in the object."},
    PathText{"file", "File of the object."},
    PathText{"line", "Line in the file, from 1; null if unknown."},
    PathText{"column", "Column in the line, from 1; null if unknown."},
    PathText{"hint", "What to do; may be empty."},

    PathText{"machine", "The machine that every node of the simulation is."},
    PathText{"type", "Machine type; empty: no worker pool names one."},
    PathText{"cores_from", "Source of the number of cores."},
    PathText{"nic_bps", "Line rate of the NIC, in bit/s."},
    PathText{"nic_from", "Source of the NIC's rate."},
    PathText{"sustained_bps", "Rate that the network sustains, in bit/s; null: the line rate."},
    PathText{"sends_at_sustained_rate", "Whether nodes send at the sustained rate."},

    PathText{"predictions", "The simulator's predictions of figures that a kernel measured."},
    PathText{"measured", "The measured figure."},
    PathText{"predicted", "The predicted figure."},
    PathText{"cross_checks", "Figures that another program measured."},
    PathText{"program", "Name and version of the program."},
    PathText{"cross_checks.value", "The figure that it measured."},

    PathText{"events", "Changes of the states by the Scenario, by time."},
    PathText{"until_ns", "When the change is undone, in nanoseconds; null: never."},
    PathText{"place", "Place of the event in the Scenario file."},
};

/// The text of the longest entry that `path` ends with; empty if there is none.
std::string_view text_of(std::string_view path) {
  PathText best;
  for (const PathText& one : kTexts) {
    if (!path.ends_with(one.path) || one.path.size() <= best.path.size()) continue;
    const std::size_t before = path.size() - one.path.size();
    if (before == 0 || path[before - 1] == '.') best = one;
  }
  return best.text;
}

Json described(Json schema, const std::string& path) {
  if (const auto items = schema.find("items"); items != schema.end())
    *items = described(std::move(*items), path);
  const auto properties = schema.find("properties");
  if (properties == schema.end()) return schema;
  for (const auto& [key, property] : properties->items()) {
    const std::string below = path.empty() ? key : path + "." + key;
    const std::string_view text = text_of(below);
    assert(!text.empty());
    Json with_text{{"description", text}};
    with_text.update(described(std::move(property), below));
    property = std::move(with_text);
  }
  return schema;
}

}  // namespace

Json with_descriptions(Json schema) {
  return described(std::move(schema), "");
}

}  // namespace overlane::model
