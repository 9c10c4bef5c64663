#include "scenarios/runner/measure/observation.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/ethernet.h"
#include "sim/run/estimate/estimates.h"

namespace overlane::runner {
namespace {

std::uint64_t flows_of(const run::TrafficGroup& group) {
  return group.pairs.size() * group.flows_per_pair;
}

/// Text that lists the available flows: "bulk/0…3 (100.96.0.2->100.96.1.2, …), requests/0 (…)".
std::string what_there_is(const std::vector<run::TrafficGroup>& traffic) {
  std::string text;
  for (const run::TrafficGroup& group : traffic) {
    if (group.pairs.empty()) continue;
    const run::PodPair pair = group.pairs.front();
    const std::string last = flows_of(group) > 1 ? fmt::format("…{}", flows_of(group) - 1) : "";
    text += fmt::format("{}{}/0{} ({}->{}{})", text.empty() ? "" : ", ", group.name, last,
                        pair.source.address.to_string(), pair.destination.address.to_string(),
                        group.pairs.size() > 1 ? ", …" : "");
  }
  return text.empty() ? "no traffic has a flow" : "there are " + text;
}

tl::unexpected<Finding> unknown(const std::vector<run::TrafficGroup>& traffic,
                                const std::string& selector, std::string_view why) {
  return fail(Finding{.rule = "unknown-flow",
                      .severity = Severity::Error,
                      .message = fmt::format("--trace-flow {}: {}", selector, why),
                      .hint = what_there_is(traffic)});
}

std::optional<FlowName> between(const std::vector<run::TrafficGroup>& traffic, IpAddress from,
                                IpAddress to) {
  for (const run::TrafficGroup& group : traffic) {
    const auto pair = std::ranges::find_if(group.pairs, [&](const run::PodPair& one) {
      return one.source.address == from && one.destination.address == to;
    });
    if (pair == group.pairs.end()) continue;
    const auto position = static_cast<std::uint32_t>(pair - group.pairs.begin());
    return FlowName{group.name, position * group.flows_per_pair};
  }
  return std::nullopt;
}

}  // namespace

Result<FlowName> choose_flow(const std::vector<run::TrafficGroup>& traffic,
                             const std::string& selector) {
  if (const std::size_t arrow = selector.find("->"); arrow != std::string::npos) {
    const auto from = IpAddress::parse(selector.substr(0, arrow));
    const auto to = IpAddress::parse(selector.substr(arrow + 2));
    if (!from || !to) return unknown(traffic, selector, "that is not two pods' addresses");
    if (auto found = between(traffic, *from, *to)) return *std::move(found);
    return unknown(traffic, selector, "no flow goes from the one to the other");
  }
  const std::size_t slash = selector.rfind('/');
  const std::string name = selector.substr(0, slash);
  const auto group = std::ranges::find(traffic, name, &run::TrafficGroup::name);
  if (group == traffic.end()) return unknown(traffic, selector, "there is no such traffic");
  std::uint32_t number = 0;
  if (slash != std::string::npos) {
    const std::string_view digits = std::string_view(selector).substr(slash + 1);
    const auto [stop, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || stop != digits.data() + digits.size())
      return unknown(traffic, selector, "behind the slash stands the number of a flow");
  }
  if (number >= flows_of(*group)) return unknown(traffic, selector, "there is no such flow");
  return FlowName{name, number};
}

namespace {

using run::TraceEvent;
using run::TracePoint;

std::string end_text(IpAddress address, std::uint16_t port) {
  return address.is_ipv4() ? fmt::format("{}:{}", address.to_string(), port)
                           : fmt::format("[{}]:{}", address.to_string(), port);
}

/// TCP flags as tcpdump writes them.
std::string_view flags_of(const transport::Segment& segment) {
  if (segment.rst) return "R";
  if (segment.syn) return segment.ack ? "S." : "S";
  if (segment.fin) return segment.ack ? "F." : "F";
  return segment.ack ? "." : "none";
}

}  // namespace

std::string_view to_string(TracePoint stop) {
  switch (stop) {
    case TracePoint::Sent:
      return "sent";
    case TracePoint::Worked:
      return "worked-on";
    case TracePoint::Crypted:
      return "crypted";
    case TracePoint::Vhost:
      return "vhost";
    case TracePoint::Copied:
      return "copied";
    case TracePoint::OnWire:
      return "on-wire";
    case TracePoint::Admitted:
      return "admitted";
    case TracePoint::AtLeaf:
      return "at-leaf";
    case TracePoint::AtSpine:
      return "at-spine";
    case TracePoint::Crossed:
      return "crossed";
    case TracePoint::Received:
      return "received";
    case TracePoint::Polled:
      return "polled";
    case TracePoint::Merged:
      return "merged";
    case TracePoint::Held:
      return "held";
    case TracePoint::Delivered:
      return "delivered";
    case TracePoint::Dropped:
      return "dropped";
    case TracePoint::Read:
      return "read";
  }
  return "";
}

std::string FlowTracer::place_of(const TraceEvent& sighting) const {
  const std::string& node = nodes_[sighting.node];
  switch (sighting.stop) {
    case TracePoint::Worked:
    case TracePoint::Crypted:
    case TracePoint::Polled:
    case TracePoint::Merged:
      return fmt::format("{} core {}", node, sighting.core);
    case TracePoint::OnWire:
    case TracePoint::Received:
      return node + " NIC";
    case TracePoint::Vhost:
      return "hypervisor of " + node;
    case TracePoint::AtLeaf:
      return fmt::format("leaf of rack {}", sighting.switch_number + 1);
    case TracePoint::AtSpine:
      return fmt::format("spine {}", sighting.switch_number + 1);
    case TracePoint::Admitted:
    case TracePoint::Crossed:
      return "fabric to " + node;
    case TracePoint::Sent:
    case TracePoint::Copied:
    case TracePoint::Delivered:
    case TracePoint::Read:
      return node + (sighting.on_node ? " host" : " pod");
    case TracePoint::Held:
    case TracePoint::Dropped:
      return node;
  }
  return node;
}

model::TracedTcp FlowTracer::tcp_of(const TraceEvent& sighting) {
  const transport::Segment& segment = *sighting.segment;
  // The SYN has number 0, the first byte number 1.
  model::TracedTcp tcp{.sequence = segment.sequence + (segment.syn ? 0 : 1),
                       .acknowledgement = segment.ack ? segment.acknowledges + 1 : 0,
                       .window_bytes = segment.window,
                       .payload_bytes = segment.length,
                       .flags = flags_of(segment),
                       .sack_blocks = static_cast<std::int64_t>(segment.sack.size())};
  if (!sighting.sender) return tcp;
  std::int64_t& highest = highest_[sighting.end];
  if (segment.syn) highest = 0;  // A new connection of the same end.
  tcp.retransmission = segment.length > 0 && segment.sequence < highest;
  highest = std::max(highest, segment.sequence + segment.length);
  tcp.congestion_window_bytes = sighting.sender->congestion_window;
  tcp.in_flight_bytes = sighting.sender->in_flight;
  tcp.smoothed_rtt_ns = sighting.sender->smoothed_rtt.whole_nanoseconds();
  return tcp;
}

void FlowTracer::add_leg(const TraceEvent& sighting, std::string_view event,
                         const std::string& place) {
  const auto known = std::ranges::find_if(trace_.legs, [&](const model::TraceLeg& leg) {
    return leg.backward == sighting.backward && leg.event == event && leg.place == place;
  });
  model::TraceLeg& leg =
      known != trace_.legs.end()
          ? *known
          : trace_.legs.emplace_back(model::TraceLeg{sighting.backward, event, place});
  const std::int64_t waited = sighting.waited.whole_nanoseconds();
  ++leg.packets;
  leg.sum_ns += waited;
  leg.max_ns = std::max(leg.max_ns, waited);
}

void FlowTracer::see(const TraceEvent& sighting) {
  const forward::Packet* header = sighting.header;
  if (trace_.client.empty() && sighting.stop == TracePoint::Sent && !sighting.backward) {
    trace_.client = end_text(header->inner.source, header->source_port);
    trace_.server = end_text(header->inner.destination, header->destination_port);
  }
  const std::string_view event = to_string(sighting.stop);
  std::string place = place_of(sighting);
  add_leg(sighting, event, place);
  std::optional<model::TracedTcp> tcp;
  if (sighting.segment != nullptr) tcp = tcp_of(sighting);
  if (trace_.lines.size() == limit_) {
    ++trace_.left_out;
    return;
  }
  model::TraceLine& line = trace_.lines.emplace_back(
      model::TraceLine{.at_ns = sighting.at.whole_nanoseconds(),
                       .waited_ns = sighting.waited.whole_nanoseconds(),
                       .packet = static_cast<std::int64_t>(sighting.packet),
                       .backward = sighting.backward,
                       .event = event,
                       .place = std::move(place),
                       .bytes = sighting.bytes,
                       .tcp = std::move(tcp),
                       .drop = sighting.drop});
  if (header == nullptr) return;
  line.encapsulation = to_string(header->encapsulation);
  line.source = header->outermost().source;
  line.destination = header->outermost().destination;
  line.is_icmp = header->icmp.has_value();
  line.is_fragment = header->outermost().is_fragment();
}

namespace {

using capture::PcapngWriter;
using run::TraceEvent;
using run::TracePoint;

/// The initial sequence number, derived from the seed. RFC 9293 section 3.4.1 does not fix its
/// value.
std::uint32_t initial_sequence(std::uint64_t seed, std::uint32_t end) {
  return static_cast<std::uint32_t>(murmur_mix(murmur_mix(seed) ^ end));
}

/// The Ethernet address of all peers of a node. States have no Ethernet addresses, so each node
/// gets a locally administered one. (libpcap reads no file with several interfaces of raw IP.)
constexpr MacAddress kOther{{0x02, 0xff, 0, 0, 0, 0}};
MacAddress mac_of(std::uint32_t node) {
  MacAddress mac{{0x02, 0, 0, 0, 0, 0}};
  for (std::size_t i = 0; i < 4; ++i)
    mac.bytes[2 + i] = static_cast<std::uint8_t>(node >> (24 - 8 * i));
  return mac;
}

capture::Timestamp timestamp_of(Picos at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t ns = at.whole_nanoseconds();
  return {.seconds = ns / kSecond, .nanoseconds = static_cast<std::uint32_t>(ns % kSecond)};
}

/// Segments that GRO merged are delivered as one packet with one header.
forward::Packet as_delivered(const TraceEvent& sighting) {
  forward::Packet header = *sighting.header;
  if (sighting.segment != nullptr) header.inner.total_length = sighting.segment->ip_bytes();
  return header;
}

}  // namespace

Result<PacketCapture> PacketCapture::create(Options options, const std::vector<std::string>& nodes,
                                            const std::vector<run::TrafficGroup>& traffic) {
  auto writer = PcapngWriter::create(options.file);
  if (!writer) return fail(writer.error());
  const std::string_view device = options.place == CapturePlace::Wire ? "NIC" : "pods";
  PacketCapture capture(std::move(options), *std::move(writer));
  for (const std::string& node : nodes)
    capture.writer_.add_interface(fmt::format("{} {}", node, device), capture::LinkType::Ethernet);
  for (const run::TrafficGroup& group : traffic)
    capture.window_scales_.push_back(run::window_scale(group.window_bytes));
  return capture;
}

bool PacketCapture::is_seen_here(const TraceEvent& sighting) const {
  if (sighting.header == nullptr) return false;
  if (options_.place == CapturePlace::Wire) return sighting.stop == TracePoint::OnWire;
  const bool is_error = sighting.header->icmp.has_value();
  if (sighting.stop == TracePoint::Sent) return !sighting.backward;
  return sighting.stop == TracePoint::Delivered && (sighting.backward || is_error);
}

void PacketCapture::see(const TraceEvent& sighting) {
  if (!is_seen_here(sighting)) return;
  if (written_ == options_.limit) {
    ++left_out_;
    return;
  }
  ++written_;
  const bool is_delivered = sighting.stop == TracePoint::Delivered;
  const forward::Packet header = is_delivered ? as_delivered(sighting) : *sighting.header;
  const auto bytes =
      run::wire_bytes(header, sighting.segment,
                      {.sequence = initial_sequence(options_.seed, sighting.end),
                       .acknowledgement = initial_sequence(options_.seed, sighting.end ^ 1),
                       .window_scale = window_scales_[sighting.group]});
  const MacAddress own = mac_of(sighting.node);
  const auto frame =
      is_delivered ? wire::framed(bytes, own, kOther) : wire::framed(bytes, kOther, own);
  writer_.write(sighting.node, timestamp_of(sighting.at), frame,
                is_delivered ? PcapngWriter::Direction::Inbound : PcapngWriter::Direction::Outbound,
                "");
}

namespace {

std::vector<std::string> node_names(const run::Network& network) {
  std::vector<std::string> names;
  for (const node::NodeState& node : network.nodes)
    names.push_back(node.member().name);
  return names;
}

/// Adds the variant's and the traffic's name to a capture file's name if there are several.
std::string capture_file(const Plan& plan, const PlannedRun& run, std::string file) {
  if (plan.variants.size() > 1) file = file_for(file, plan.variants[run.variant].variant.name);
  if (plan.rounds.front().size() > 1) file = file_for(file, name_of(plan.traffic(run)));
  return file;
}

Finding cut(std::string_view what, std::int64_t left_out, std::string_view unit,
            std::string_view option) {
  return {.rule = "packets-left-out",
          .severity = Severity::Note,
          .message = fmt::format("{}: {} more {} were left out", what, left_out, unit),
          .hint = fmt::format("{} keeps more", option)};
}

/// The traffic of all runs, in every family.
std::vector<run::TrafficGroup> traffic_of(const Plan& plan) {
  std::vector<run::TrafficGroup> all;
  std::set<std::pair<Family, std::size_t>> seen;
  for (const PlannedRun& run : plan.runs) {
    const auto& groups = plan.traffic(run);
    if (run.repetition == 0 && seen.insert({plan.variants[run.variant].family, run.round}).second)
      all.insert(all.end(), groups.begin(), groups.end());
  }
  return all;
}

tl::unexpected<Failure> not_written(Finding finding) {
  return fail(Failure{Failure::Kind::NotWritten, {std::move(finding)}});
}

}  // namespace

std::string file_for(const std::string& file, const std::string& part) {
  const std::filesystem::path path(file);
  std::string name = part;
  std::ranges::replace_if(
      name, [](char c) { return c == '/' || c == ' ' || c == ','; }, '-');
  const std::string stem = path.stem().string() + '-' + name;
  return (path.parent_path() / (stem + path.extension().string())).string();
}

bool Observation::Observed::is_captured(std::uint32_t of_group, std::uint32_t number) const {
  if (!capture) return false;
  if (tracer) return is_traced(of_group, number);
  const std::uint64_t key = std::uint64_t{of_group} << 32 | number;
  return number == 0 || murmur_mix(murmur_mix(seed) ^ key) % sample == 0;
}

Outcome<std::unique_ptr<Observation>> Observation::create(const Plan& plan,
                                                          const PacketRequest& request) {
  auto observation = std::make_unique<Observation>();
  observation->runs_.resize(plan.runs.size());
  if (!request.any() || plan.runs.empty()) return observation;
  std::optional<FlowName> traced;
  if (!request.flow.empty()) {
    auto found = choose_flow(traffic_of(plan), request.flow);
    if (!found) return fail(Failure{Failure::Kind::Usage, {found.error()}});
    traced = *std::move(found);
  }
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const auto& groups = plan.traffic(plan.runs[i]);
    const auto sends = [&](const FlowName& flow) {
      return std::ranges::find(groups, flow.traffic, &run::TrafficGroup::name) != groups.end();
    };
    if (plan.runs[i].repetition > 0 || (traced && !sends(*traced))) continue;
    auto observed = observe(plan, plan.runs[i], request, traced);
    if (!observed) return not_written(std::move(observed.error()));
    observation->runs_[i] = *std::move(observed);
  }
  return observation;
}

Result<std::unique_ptr<Observation::Observed>> Observation::observe(
    const Plan& plan, const PlannedRun& run, const PacketRequest& request,
    const std::optional<FlowName>& traced) {
  auto observed = std::make_unique<Observed>();
  const LaidOut& variant = plan.variants[run.variant];
  const auto& groups = plan.traffic(run);
  const std::vector<std::string> nodes = node_names(*variant.network);
  if (traced) {
    const auto group = std::ranges::find(groups, traced->traffic, &run::TrafficGroup::name);
    observed->group = static_cast<std::uint32_t>(group - groups.begin());
    observed->flow = traced->number;
    observed->tracer.emplace(
        model::FlowTrace{
            .variant = variant.variant.name, .traffic = traced->traffic, .flow = traced->number},
        request.trace_limit, nodes);
  }
  if (!request.pcap_file.empty()) {
    auto capture = PacketCapture::create({.file = capture_file(plan, run, request.pcap_file),
                                          .place = request.pcap_place,
                                          .limit = request.pcap_limit,
                                          .seed = plan.seeds.front()},
                                         nodes, groups);
    if (!capture) return fail(std::move(capture.error()));
    observed->capture.emplace(*std::move(capture));
  }
  observed->sample = request.pcap_sample;
  observed->seed = plan.seeds.front();
  observed->trace = observed->trace_options();
  return observed;
}

run::TraceOptions Observation::Observed::trace_options() {
  return {.follows =
              [this](std::uint32_t of_group, std::uint32_t number) {
                return is_traced(of_group, number) || is_captured(of_group, number);
              },
          .see =
              [this](const run::TraceEvent& sighting) {
                if (tracer) tracer->see(sighting);
                if (capture) capture->see(sighting);
              }};
}

const run::TraceOptions* Observation::trace_of(std::size_t run) const {
  return runs_[run] ? &runs_[run]->trace : nullptr;
}

Outcome<std::vector<model::FlowTrace>> Observation::finish(Findings& findings) {
  std::vector<model::FlowTrace> traces;
  for (const auto& observed : runs_) {
    if (!observed) continue;
    if (observed->tracer) {
      const model::FlowTrace& trace = traces.emplace_back(observed->tracer->trace());
      if (trace.left_out > 0)
        findings.push_back(
            cut("the trace of " + trace.variant, trace.left_out, "lines", "--trace-limit"));
    }
    if (!observed->capture) continue;
    PacketCapture& capture = *observed->capture;
    if (capture.left_out() > 0)
      findings.push_back(cut(capture.file(), capture.left_out(), "packets", "--pcap-limit"));
    if (auto closed = capture.close(); !closed) return not_written(std::move(closed.error()));
  }
  return traces;
}

}  // namespace overlane::runner
