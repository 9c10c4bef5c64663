#include "scenarios/runner/measure/observation.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dataplane/net/flow_hash.h"
#include "dataplane/wire/ethernet.h"
#include "sim/run/estimate/estimates.h"

namespace overlane::runner {
namespace {

using capture::PcapngWriter;
using run::TraceEvent;
using run::TracePoint;

/// The initial sequence number, which RFC 9293 section 3.4.1 leaves open: derived from the seed.
std::uint32_t initial_sequence(std::uint64_t seed, std::uint32_t end) {
  return static_cast<std::uint32_t>(murmur_mix(murmur_mix(seed) ^ end));
}

/// States have no Ethernet addresses: each node gets a locally administered one, and its peers
/// share kOther. (libpcap reads no file with several interfaces of raw IP.)
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
