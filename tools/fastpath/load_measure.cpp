#include "tools/fastpath/load_measure.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "results/base/text.h"
#include "results/load_search/search.h"
#include "results/report/text.h"
#include "tools/overlane/cli/output.h"

namespace overlane::fastpath {

namespace {

using command::CompiledVariant;

constexpr std::array<std::pair<std::string_view, Direction>, 3> kDirections{
    {{"encap", Direction::Encap}, {"decap", Direction::Decap}, {"both", Direction::Both}}};

constexpr std::array<std::pair<std::string_view, Family>, 2> kFamilies{
    {{"ipv4", Family::Ipv4}, {"ipv6", Family::Ipv6}}};

/// The encapsulation of the variant's tunnel device, or "routed".
std::string mode_of(const CompiledVariant& variant) {
  for (const node::Device& device : variant.states->nodes[0].devices) {
    if (device.encapsulation() != Encapsulation::None) {
      return std::string(to_string(device.encapsulation()));
    }
  }
  return "routed";
}

/// Frame size in bytes; 0 for "imix".
std::uint32_t size_of(const std::string& text) {
  return text == "imix" ? 0 : static_cast<std::uint32_t>(std::stoul(text));
}

std::string size_fault(const std::string& text) {
  if (text == "imix") return "";
  const bool digits = !text.empty() && text.size() < 5 && std::ranges::all_of(text, ::isdigit);
  const bool in_range = digits && size_of(text) >= 46 && size_of(text) <= 1450;
  return in_range ? "" : fmt::format("\"{}\" is neither imix nor 46 to 1450", text);
}

bool is_chosen(const std::vector<std::string>& choice, std::string_view name) {
  return choice.empty() || std::ranges::find(choice, name) != choice.end();
}

/// Reports why a variant is not measured: an error if its mode was selected by name, a note if all
/// modes are measured, and nothing if other modes were selected. A variant that the provider does
/// not admit has no state, so its name is used as its mode.
void report_missing(const CompiledVariant& variant, const std::vector<std::string>& modes) {
  if (!is_chosen(modes, variant.name)) return;
  if (!modes.empty())
    return command::print_error(fmt::format("{}: {}", variant.name, variant.reason));
  command::print_aside(
      fmt::format("note: {} is not measured: {}\n", variant.name, one_line(variant.reason)));
}

}  // namespace

dpdk::BenchCase BenchedCase::as_case(const BenchSubject& subject) const {
  return {.mode = mode,
          .family = family,
          .direction = std::string(way_name),
          .size_bytes = size_bytes,
          .flows = subject.flows,
          .routes = subject.routes,
          .burst = subject.burst,
          .result = {},
          .load = {}};
}

void add_bench_subject(CLI::App& verb, BenchSubject& subject) {
  verb.add_option("PATH", subject.request.paths, "The manifest of one Shoot, or a Scenario")
      ->type_name("")
      ->required();
  verb.add_option("--mode", subject.modes, "routed, ipip, vxlan or geneve; else all of the CNI's")
      ->delimiter(',')
      ->check(CLI::IsMember({"routed", "ipip", "vxlan", "geneve"}));
  verb.add_option("--family", subject.families,
                  "IP family of the pods' packets: ipv4, ipv6 or both (default: ipv4)")
      ->delimiter(',')
      ->check(CLI::IsMember({"ipv4", "ipv6"}));
  verb.add_option("--direction", subject.ways, "encap, decap or both; else all three")
      ->delimiter(',')
      ->check(CLI::IsMember({"encap", "decap", "both"}));
  verb.add_option("--size", subject.sizes, "Bytes of the inner Ethernet frame without FCS, or imix")
      ->delimiter(',')
      ->check(size_fault);
  verb.add_option("--flows", subject.flows, "Flows")->check(CLI::Range(1, 1 << 20));
  verb.add_option("--routes", subject.routes, "Nodes that the pods are on")
      ->check(CLI::Range(1, 5000));
  verb.add_option("--burst", subject.burst, "Packets received at once")->check(CLI::Range(1, 64));
  verb.add_option("--buffers", subject.buffers, "Packet buffers that the ports cycle through")
      ->check(CLI::Range(1024, 1 << 22));
}

runner::Outcome<std::vector<CompiledVariant>> compile_subject(BenchSubject& subject) {
  subject.request.subject.nodes = subject.routes + 1;
  return command::compile_variants(subject.request);
}

Parsed<void> for_each_case(const BenchSubject& subject,
                           const std::vector<CompiledVariant>& variants,
                           const std::function<Parsed<void>(const BenchedCase&)>& measure) {
  bool any = false;
  for (const CompiledVariant& variant : variants) {
    if (!variant.states) {
      report_missing(variant, subject.modes);
      continue;
    }
    const std::string mode = mode_of(variant);
    if (!is_chosen(subject.modes, mode)) continue;
    const auto generation =
        dpdk::generation(std::make_shared<const node::NodeState>(variant.states->nodes[0]));
    if (!generation) return fail(generation.error());
    const auto measure_family = [&](Family family) -> Parsed<void> {
      for (const std::string& size : subject.sizes) {
        for (const auto& [name, way] : kDirections) {
          if (!is_chosen(subject.ways, name)) continue;
          any = true;
          const BenchedCase one{variant, **generation, mode, family, name, way, size_of(size)};
          const auto measured = measure(one);
          if (!measured)
            return fail(fmt::format("{}: {}", one.as_case(subject).name(), measured.error()));
        }
      }
      return {};
    };
    for (const auto& [name, family] : kFamilies) {
      if (!is_chosen(subject.families, name)) continue;
      if (auto measured = measure_family(family); !measured) return measured;
    }
  }
  if (!any) {
    return fail(
        fmt::format("none of the shoot's dataplanes is {}", fmt::join(subject.modes, ", ")));
  }
  return {};
}

Parsed<dpdk::BenchTraffic> traffic_of(const BenchSubject& subject, const BenchedCase& one,
                                      bool inbound, const dpdk::Port& at) {
  return dpdk::BenchTraffic::make(one.variant.states->nodes, inbound, subject.flows, subject.routes,
                                  one.size_bytes, at.mac(), one.family);
}

void know_next_hops(const BenchedCase& one, const dpdk::Port& pods, const dpdk::Port& uplink) {
  const auto mac_of = dpdk::BenchTraffic::mac_of;
  adjacency::LinkHeaders& headers = *one.generation.links;
  const auto& next_hops = one.generation.compiled.next_hops;
  for (std::size_t i = 0; i < next_hops.size(); ++i)
    headers.set(i, mac_of(next_hops[i].address),
                (next_hops[i].egress == forward::Egress::Pod ? pods : uplink).mac());
  for (const node::NodeState& peer : std::span(one.variant.states->nodes).subspan(1))
    for (const node::LocalPod& pod : peer.pods)
      headers.neighbours().set(pod.address, mac_of(pod.address), uplink.mac());
}

void add_load_options(CLI::App& verb, command::SearchOptions& options) {
  command::add_search_options(verb, options);
  verb.add_option("--trials", options.goals.trials, "Trials at one load at most")
      ->check(CLI::Range(1u, 1000u));
}

Parsed<std::unique_ptr<dpdk::LoadTester>> make_tester(const BenchSubject& subject,
                                                      const dpdk::EalOptions& eal) {
  std::optional<unsigned> node_core;
  if (eal.cores.size() > 1) node_core = eal.cores[1];
  return dpdk::LoadTester::make("load", subject.buffers, static_cast<std::uint16_t>(subject.burst),
                                node_core);
}

Parsed<dpdk::LoadPlan> load_plan(const command::SearchOptions& options, bool all_figures) {
  dpdk::LoadPlan plan{.goals = options.goals.goals(), .range = {}, .all_figures = all_figures};
  if (auto valid = load_search::check(plan.goals); !valid) return fail(valid.error());
  const double trial_seconds = static_cast<double>(options.goals.trial.count) / 1e12;
  const auto one_packet = static_cast<std::int64_t>(std::ceil(1 / trial_seconds));
  const std::int64_t max = options.max.value_or(kUnreachableLoad);
  plan.range = {options.min.value_or(std::min(std::max(kMinLoad, one_packet), max)), max};
  if (auto valid = load_search::check(plan.range); !valid) return fail(valid.error());
  if (plan.range.min < one_packet) {
    return fail(
        fmt::format("a trial at {} packets/s offers no packet; lengthen --trial", plan.range.min));
  }
  return plan;
}

Parsed<dpdk::LoadFigures> measure_load(dpdk::LoadTester& tester, const BenchSubject& subject,
                                       const BenchedCase& one, const dpdk::LoadPlan& plan) {
  know_next_hops(one, tester.pods(), tester.uplink());
  const auto out = traffic_of(subject, one, false, tester.pods());
  if (!out) return fail(out.error());
  const auto in = traffic_of(subject, one, true, tester.uplink());
  if (!in) return fail(in.error());
  std::vector<dpdk::LoadPath> paths;
  if (one.way != Direction::Decap) paths.push_back({forward::Ingress::Pod, &*out});
  if (one.way != Direction::Encap) paths.push_back({forward::Ingress::Uplink, &*in});
  return dpdk::load_figures(tester, one.generation, paths, plan);
}

std::string load_note(bool takes_turns) {
  return report::wrapped(
      "  ",
      takes_turns ? "Tester and node take turns on one core; time is the node's own: loads are "
                    "per second of its work, without what else the machine does."
                  : "Tester and node each have a core; time is the machine's.",
      report::terminal_width());
}

std::string irregular_lines(const std::string& name, const dpdk::LoadFigures& figures) {
  std::string text;
  if (figures.losses.punted > 0) {
    text += report::wrapped_line(
        "  " + name + ": ",
        fmt::format("{} packets need the full path, which is not measured, and count as lost",
                    figures.losses.punted));
  }
  for (const load_search::GoalResult& result : figures.found.goals) {
    const std::string why = load_search::irregularity(result, figures.range);
    if (!why.empty())
      text +=
          report::wrapped_line(fmt::format("  {}, {} (irregular): ", name, result.goal.name), why);
  }
  return text;
}

}  // namespace overlane::fastpath
