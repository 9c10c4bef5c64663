#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "results/report/csv.h"
#include "tools/overlane/cli/options.h"
#include "tools/overlane/cli/output.h"
#include "tools/overlane/cli/verbs.h"
#include "tools/overlane/verbs/compiled_shoot.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/path/hubble.h"
#include "topologies/path/trace_report.h"

namespace overlane::command {
namespace {

struct TraceOptions {
  InputOptions input;
  OutputOptions output;
  std::string shoot;
  std::optional<std::uint32_t> nodes;
  std::optional<std::string> patch;
  path::Question question;
  std::vector<std::string> without;
  std::string pcap;
  std::string hubble;
};

constexpr std::array kProtocols = {Choice<std::uint8_t>{"tcp", forward::kTcp},
                                   Choice<std::uint8_t>{"udp", forward::kUdp},
                                   Choice<std::uint8_t>{"icmp", forward::kIcmp}};

/// The traced shoot, as written or patched, with its assumptions and the findings about its
/// documents.
struct TracedPacket {
  CompiledShoot compiled;
  std::vector<model::Assumption> assumptions;
  Findings findings;
};

runner::Outcome<TracedPacket> load(const TraceOptions& options) {
  const derive::DeriveOptions& derive = options.input.derive;
  const spec::Scenario scenario{.manifests = options.input.paths, .shoot = options.shoot};
  const auto subject = runner::load_subject(
      scenario, {.derive = derive, .shoot = options.shoot, .nodes = options.nodes}, {});
  if (!subject) return fail(subject.error());
  spec::VariantSpec variant{.name = "as-written"};
  if (options.patch) {
    auto patched = patched_variant(*options.patch);
    if (!patched) return fail(patched.error());
    variant = *std::move(patched);
  }
  auto compiled = compile_as(*subject, variant);
  if (!compiled) return fail(compiled.error());
  auto assumptions = assumed(*subject, compiled->shoot);
  return TracedPacket{*std::move(compiled), std::move(assumptions), subject->findings};
}

ExitCode wrong_use(const Finding& finding) {
  print_findings({finding}, false);
  return ExitCode::Usage;
}

ExitCode write(const path::TraceReport& report, const TraceOptions& options) {
  if (!options.pcap.empty()) {
    if (const auto written = path::write_legs(options.pcap, report.trace); !written) {
      print_findings({written.error()}, options.input.quiet, options.input.fail_on);
      return ExitCode::RunFailed;
    }
  }
  const ExitCode code = write_json_beside(options.output, [&] { return path::encode(report); });
  if (code != ExitCode::Clean) return code;
  if (!options.hubble.empty()) {
    const ExitCode written = write_text(options.hubble, path::hubble_lines(report));
    if (written != ExitCode::Clean) return written;
  }
  if (options.output.format == Format::Csv)
    return write_text(options.output, report::rows_csv(path::encode(report.trace.hops)));
  if (options.output.format == Format::Json)
    return write_json(options.output, path::encode(report));
  return write_text_beside(options.output, {options.hubble},
                           path::print(report, output_style(options.output)));
}

ExitCode trace(const TraceOptions& options) {
  auto loaded = load(options);
  if (!loaded) return print_failure(loaded.error(), options.input.quiet, options.input.fail_on);
  auto& [shoot, states] = loaded->compiled;
  auto asked = path::ask(states, shoot, options.question);
  if (!asked) {
    const Finding* unrouted = effective::finding_about_addresses(shoot);
    if (unrouted == nullptr || unrouted->rule != asked.error().rule)
      return wrong_use(asked.error());
    return print_failure(runner::unusable(asked.error()).value(), options.input.quiet,
                         options.input.fail_on);
  }
  if (asked->service) {
    const auto served = compile::add_services({*asked->service}, shoot, 0, states);
    if (!served) return wrong_use(served.error());
  }

  const auto name = [&](std::uint32_t node) { return states.nodes[node].member().name; };
  const path::Endpoint& receiver = asked->backend ? *asked->backend : asked->to;
  std::vector<path::Change> taken;
  for (const std::string& entry : options.without) {
    auto changes =
        path::take_out(states, entry, {name(asked->from.node), "vpc", name(receiver.node)});
    if (!changes) return wrong_use(changes.error());
    taken.insert(taken.end(), changes->begin(), changes->end());
  }

  path::TraceReport report = path::report(states, shoot, *std::move(asked));
  report.without = std::move(taken);
  report.findings = std::move(loaded->findings);
  for (const Finding& finding : states.findings)
    if (std::ranges::find(report.findings, finding) == report.findings.end())
      report.findings.push_back(finding);
  report.assumptions = std::move(loaded->assumptions);
  const Findings findings = report.all_findings();
  if (!shares_terminal(options.output))
    print_findings(findings, options.input.quiet, options.input.fail_on);
  const ExitCode written = write(report, options);
  if (written != ExitCode::Clean) return written;
  const bool found = any_at_or_above(findings, options.input.fail_on);
  return found || !report.trace.succeeded() ? ExitCode::Finding : ExitCode::Clean;
}

constexpr std::array kFamilies = {Choice<std::optional<Family>>{"ipv4", Family::Ipv4},
                                  Choice<std::optional<Family>>{"ipv6", Family::Ipv6}};

void add_packet_options(CLI::App& verb, path::Question& question) {
  verb.add_option("--from", question.from, "Sender: a pod such as node-1/pod-0, or a node")
      ->type_name("POD|NODE|ADDRESS");
  verb.add_option("--to", question.to,
                  "Destination: a pod, a node, a service address, any address, or internet")
      ->type_name("POD|NODE|ADDRESS[:PORT]|internet");
  verb.add_option("--backend", question.backend, "The backend pod of the service, or none")
      ->type_name("POD|none");
  add_choice(verb, "--family", question.family, kFamilies,
             "Address family in a dual-stack shoot (default: the first family of the shoot)");
  add_choice(verb, "--protocol", question.protocol, kProtocols, "Protocol of the packet");
  verb.add_option("--size", question.size,
                  "IP length of the packet (default: the MTU of the sender)")
      ->type_name("BYTES")
      ->check(CLI::Range(1, 65575));
  verb.add_flag("--df,!--no-df", question.dont_fragment,
                "Set or clear Don't Fragment (default: set)");
  verb.add_option("--ttl", question.ttl, "TTL or hop limit (default 64)")
      ->type_name("N")
      ->check(CLI::Range(1, 255));
  verb.add_option("--sport", question.source_port, "Source port (default 40000)")
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535));
  verb.add_option("--dport", question.destination_port, "Destination port (default 80)")
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535));
  verb.add_flag("--reply", question.answer, "Also trace a reply");
}

void add_shoot_options(CLI::App& verb, TraceOptions& options) {
  verb.add_option("--shoot", options.shoot, "The shoot to use, if the manifests have several")
      ->type_name("NS/NAME");
  add_nodes_option(verb, options.nodes, 1, UINT32_MAX);
  verb.add_option("--patch", options.patch, "Apply this merge patch to the providerConfig first")
      ->type_name("YAML");
  verb.add_option("--without", options.without,
                  "Take a line out of the states first, as explain --node-state --fabric-state "
                  "prints it, or its beginning; node-2: or vpc: in front says where else")
      ->type_name("ENTRY")
      ->expected(1)
      ->take_all();
  verb.add_option("--pcap", options.pcap, "Write the packet at each interface to a pcapng file")
      ->type_name("FILE");
  verb.add_option("--hubble", options.hubble,
                  "Write the packet at each interface as flows of Cilium's Hubble, in JSON lines")
      ->type_name("FILE");
}

}  // namespace

void add_trace(CLI::App* verb, Action& chosen) {
  auto options = std::make_shared<TraceOptions>();
  add_manifest_options(*verb, options->input);
  add_packet_options(*verb, options->question);
  add_shoot_options(*verb, *options);
  add_output_options(*verb, options->output, ResultShape::Rows);
  add_json_option(*verb, options->output);
  add_finding_options(*verb, options->input.fail_on, options->input.quiet);
  add_to_footer(
      *verb,
      "A packet that does not get through makes the exit code 1. The gate that it failed at is one "
      "of route, encapsulation, anti-spoofing, filter and mtu.");
  verb->callback([options, &chosen] {
    refuse_two_results(options->output, {options->hubble});
    chosen = [options] { return trace(*options); };
  });
}

}  // namespace overlane::command
