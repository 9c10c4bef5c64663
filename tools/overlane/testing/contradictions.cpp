#include "tools/overlane/testing/contradictions.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/migration/assess.h"
#include "scenarios/migration/operator_steps.h"
#include "scenarios/runner/plan/variant.h"
#include "scenarios/runner/runner.h"
#include "scenarios/runner/testing/scenario_files.h"
#include "topologies/check/check.h"
#include "topologies/compile/compile.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/cloud_routes.h"
#include "topologies/explain/explanation.h"
#include "topologies/graph/topology.h"
#include "topologies/path/trace_report.h"

namespace overlane::agreement {
namespace {

using compile::Compiled;
using effective::CloudRoutes;
using effective::EffectiveDataplane;
using effective::Mode;
using effective::RouteGap;
using effective::RoutesBy;

constexpr std::uint32_t kSmall = 100;  ///< Size in bytes of a packet that fits every MTU.

/// Rules of findings about pods that do not reach each other.
constexpr std::string_view kUnreachableRules[] = {
    "routed-without-cloud-routes",   "no-route-between-subnets", "route-hides-subnet",
    "pod-routes-across-subnets",     "ipip-dropped-by-fabric",   "no-route-between-nodes",
    "openstack-pod-sources-dropped",
};

bool has_rule(const Findings& findings, std::string_view rule) {
  return std::ranges::find(findings, rule, &Finding::rule) != findings.end();
}

std::string rules_of(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings)
    if (finding.severity >= Severity::Warning) text += finding.rule + " ";
  return text;
}

/// A packet of `size` bytes with DF between the first pods of two nodes.
path::Trace trace_between(const Compiled& states, const EffectiveDataplane& shoot, Family family,
                          std::uint32_t from, std::uint32_t to, std::uint32_t size) {
  const auto asked = path::ask(states, shoot,
                               {.from = states.nodes[from].member().name + "/pod-0",
                                .to = states.nodes[to].member().name + "/pod-0",
                                .family = family,
                                .size = size});
  return path::trace(states, asked.value().request);
}

/// Size of the largest packet that a node sends on its uplink for the traced packet.
std::size_t largest_on_the_link(const path::Trace& trace) {
  std::size_t largest = 0;
  for (const path::Leg& leg : trace.legs)
    if (leg.leaves && leg.interface.ends_with("/eth0"))
      largest = std::max(largest, leg.bytes.size());
  return largest;
}

/// For ordered pairs of nodes, within and across subnets: whether a packet arrives, or why it does
/// not.
class Reach {
 public:
  Reach(const Compiled& states, const EffectiveDataplane& shoot, std::uint32_t size)
      : Reach(states, shoot, shoot.primary_family(), size) {}
  Reach(const Compiled& states, const EffectiveDataplane& shoot, Family family, std::uint32_t size)
      : family_(family) {
    const auto count = static_cast<std::uint32_t>(states.nodes.size());
    for (std::uint32_t from = 0; from < count; ++from)
      for (std::uint32_t to = 0; to < count; ++to) {
        if (from == to) continue;
        const bool is_across =
            states.fabric.instances[from].subnet != states.fabric.instances[to].subnet;
        const path::Trace trace = trace_between(states, shoot, family, from, to, size);
        Class& of = is_across ? across_ : within_;
        ++of.pairs;
        const bool is_whole =
            std::ranges::none_of(trace.packets, [](const path::TracedPacket& packet) {
              return packet.kind == path::TracedPacket::Kind::Fragment;
            });
        of.delivered += trace.delivered && is_whole;
        if (!trace.delivered && trace.failure) of.drop = trace.failure->drop;
      }
  }

  struct Class {
    std::uint32_t pairs = 0;
    std::uint32_t delivered = 0;
    std::optional<Drop> drop;

    bool all() const { return delivered == pairs; }
    bool none() const { return delivered == 0; }
  };

  const Class& within() const { return within_; }
  const Class& across() const { return across_; }
  bool all() const { return within_.all() && across_.all(); }
  bool none() const { return within_.none() && across_.none(); }
  bool operator==(const Reach& other) const {
    return within_.delivered == other.within_.delivered &&
           across_.delivered == other.across_.delivered;
  }
  /// Whether the answer agrees with the derived state. No state contains addresses without routes.
  bool is_as_derived(const EffectiveDataplane& shoot) const {
    if (effective::finding_about_addresses(shoot) != nullptr) return true;
    switch (effective::pod_reach(shoot, *shoot.dataplane_of(family_))) {
      case effective::PodReach::AllNodes:
        return all();
      case effective::PodReach::OwnSubnet:
        return within_.all() && across_.none();
      case effective::PodReach::NoOtherNode:
        return none();
    }
    return false;
  }
  std::string text() const {
    return fmt::format("{}/{} within, {}/{} across{}", within_.delivered, within_.pairs,
                       across_.delivered, across_.pairs,
                       across_.drop   ? fmt::format(" ({})", to_string(*across_.drop))
                       : within_.drop ? fmt::format(" ({})", to_string(*within_.drop))
                                      : "");
  }

 private:
  Family family_;
  Class within_;
  Class across_;
};

bool has_controller_routes(const Compiled& states) {
  bool has = false;
  for (const node::RouteTable& table : states.fabric.route_tables)
    for (const auto& [prefix, route] : table.routes)
      has = has || route.owner == node::FabricRouteOwner::RouteController;
  return has;
}

class Judge {
 public:
  Judge(const GeneratedShoot& shoot, Counts& counts) : shoot_(shoot), counts_(counts) {}

  std::vector<std::string> judge() {
    const document::Stream stream = document::parse(shoot_.text.yaml(), "shoot.yaml");
    check_ = check::check(stream, {shoot_.options, {}});
    explain::Explanation explained = explain::explain(stream, shoot_.options, 1);
    const bool is_refused = explained.networks.empty();
    if (is_refused) require(check_.count(Severity::Error) > 0, "explain refuses, check is clean");
    const std::string file = folder_.write("shoot.yaml", shoot_.text.yaml());
    if (is_refused) {
      count("refused");
      require(!run_prepared(1000), "explain refuses, run does not");
      for (const auto& [name, target] : migration::kTargets)
        require(!migration::load({.paths = {file}, .subject = subject(), .to = target}),
                fmt::format("explain refuses, migrate --to {} does not", name));
      return std::move(found_);
    }
    network_ = std::move(explained.networks.front());
    count("explained");
    count("provider " + shoot_.text.provider);
    judge_words();
    const auto prepared = run_prepared(network_.dataplane.pod_mtu);
    if (!prepared) {
      count("not run: " + prepared.error().findings.front().rule);
      return std::move(found_);
    }
    // Includes the IPv6 ranges that a run assumes.
    const EffectiveDataplane& laid_out = prepared->subject.as_written;
    require(laid_out.dataplane.pod_mtu == network_.dataplane.pod_mtu &&
                laid_out.dataplane.routes_by == network_.dataplane.routes_by &&
                laid_out.dataplane.cloud_routes == network_.dataplane.cloud_routes,
            "run derives another dataplane than explain");
    network_ = laid_out;
    const auto states = compile::compile(prepared->subject.topology, network_);
    if (!states) {
      count("no states: " + states.error().rule);
      const auto run = runner::lay_out(*prepared, prepared->scenario.variants.front());
      require(!run.network, "there are no states, and run has some");
      return std::move(found_);
    }
    judge_findings("explain", network_.findings);
    judge_findings("trace", states->findings);
    if (const Finding* unrouted = effective::finding_about_addresses(network_)) {
      judge_unrouted(unrouted->rule, *prepared, *states, file);
      return std::move(found_);
    }
    judge_states(*states);
    judge_run(*prepared, *states);
    judge_migrations(file);
    return std::move(found_);
  }

 private:
  runner::SubjectOptions subject() const { return {.derive = shoot_.options, .shoot = {}}; }

  void count(const std::string& what) { ++counts_[what]; }

  void require(bool holds, std::string what) {
    if (!holds) found_.push_back(std::move(what));
  }

  /// Checks the headline of `explain` and the findings of `check` about the component that writes
  /// routes.
  void judge_words() {
    const effective::Dataplane& dataplane = network_.dataplane;
    const std::string text = explain::print_network(network_);
    const bool names_table = text.find("(routes: cloud-route-table)") != text.npos;
    const CloudRoutes routes = dataplane.cloud_routes;
    count(fmt::format("routes {}", to_string(routes)));
    if (names_table)
      require(routes == CloudRoutes::Written,
              fmt::format("explain: routes by the cloud's table, though they are {}",
                          to_string(routes)));
    const std::string_view rule = effective::rule_of(dataplane.route_gap);
    require((routes == CloudRoutes::NotWritten) == !rule.empty(),
            "explain: not-written without a reason, or a reason without not-written");
    if (!rule.empty())
      require(has_rule(check_.findings, rule),
              fmt::format("explain: routes are not written; check has no {}", rule));
    else
      for (const std::string_view other :
           {"no-route-between-subnets", "routed-without-cloud-routes"})
        require(!has_rule(check_.findings, other),
                fmt::format("check: {}; explain: {}", other, to_string(routes)));
  }

  /// Checks that every verb that returns a result prints the errors of `check`, and the warnings
  /// about problems that no state shows.
  void judge_findings(std::string_view verb, const Findings& said) {
    const Finding* unrouted = effective::finding_about_addresses(network_);
    for (const Finding& finding : check_.findings)
      if (finding.severity == Severity::Error ||
          (unrouted != nullptr && finding.rule == unrouted->rule))
        require(has_rule(said, finding.rule),
                fmt::format("check: {}; {} does not say so", finding.rule, verb));
  }

  /// Checks that no verb considers pods reachable whose addresses have no route.
  void judge_unrouted(const std::string& rule, const runner::Prepared& prepared,
                      const Compiled& states, const std::string& file) {
    count("unrouted: " + rule);
    require(has_rule(check_.findings, rule), fmt::format("explain: {}; check has none", rule));
    const std::string explained = explain::print_network(network_);
    require(explained.find("pods reach other nodes") == explained.npos,
            fmt::format("check: {}; explain: pods reach other nodes", rule));
    const auto asked = path::ask(states, network_, {});
    require(!asked && asked.error().rule == rule,
            fmt::format("check: {}; trace answers nevertheless", rule));
    const auto report = runner::run(prepared, {.subject = subject(), .threads = 1});
    require(report.has_value(), "explain has a dataplane, run fails");
    if (report) {
      judge_findings("run", report->findings);
      const model::VariantResult& variant = report->variants.front();
      require(
          variant.status == model::VariantStatus::NotDeliverable &&
              variant.reason.find(rule) != std::string::npos,
          fmt::format("check: {}; run: {} ({})", rule, to_string(variant.status), variant.reason));
    }
    judge_migrations(file);
  }

  void judge_states(const Compiled& states) {
    const effective::Dataplane& dataplane = network_.dataplane;
    require(has_controller_routes(states) == effective::has_cloud_routes(network_),
            fmt::format("explain: cloud routes {}; the compiled VPC {} some",
                        to_string(dataplane.cloud_routes),
                        has_controller_routes(states) ? "has" : "has not"));
    for (const node::NodeState& node : states.nodes)
      for (const node::LocalPod& pod : node.pods)
        require(
            pod.sending_mtu() == network_.dataplane_of(pod.address.family())->pod_mtu,
            fmt::format("explain: pod MTU {}; compiled {}", dataplane.pod_mtu, pod.sending_mtu()));
    judge_reach(states, Reach(states, network_, kSmall));
    for (const Family family : {Family::Ipv4, Family::Ipv6}) {
      if (network_.dataplane_of(family) == nullptr) continue;
      count(family == Family::Ipv4 ? "IPv4" : "IPv6");
      const Reach small(states, network_, family, kSmall);
      require(small.is_as_derived(network_),
              fmt::format("derived: not so; trace: {}", small.text()));
      judge_mtu(states, family, small);
    }
  }

  void judge_reach(const Compiled& states, const Reach& small) {
    count(small.all() ? "reached" : small.none() ? "unreached" : "reached in part");
    const bool is_said = std::ranges::any_of(
        kUnreachableRules, [&](std::string_view rule) { return has_rule(check_.findings, rule); });
    if (!small.all())
      require(is_said,
              fmt::format("trace: {}; check: {}", small.text(), rules_of(check_.findings)));
    const std::string explained = explain::print_network(network_);
    if (explained.find("pods reach other nodes") != explained.npos)
      require(small.all(), fmt::format("explain: pods reach other nodes; trace: {}", small.text()));
    else if (explained.find("pods reach nodes of their own subnet only") != explained.npos)
      require(small.within().all() && small.across().none(),
              fmt::format("explain: own subnet only; trace: {}", small.text()));
    else
      require(small.none(), fmt::format("explain: no other nodes; trace: {}", small.text()));
    for (std::uint32_t to = 1; to < states.nodes.size(); ++to) {
      auto asked = path::ask(states, network_,
                             {.to = states.nodes[to].member().name + "/pod-0", .size = kSmall});
      const std::string traced = path::print(path::report(states, network_, *std::move(asked)));
      const std::string condition = effective::condition_of_reach(network_, network_.dataplane);
      if (!condition.empty())
        require(traced.find(", if p") != traced.npos || traced.find("DELIVERED") == traced.npos,
                fmt::format("explain: {}; trace: without a condition", condition));
      if (network_.dataplane.cloud_routes != CloudRoutes::Written)
        require(traced.find("(route controller)") == traced.npos,
                fmt::format("explain: cloud routes {}; trace: of the route controller",
                            to_string(network_.dataplane.cloud_routes)));
    }
  }

  /// Checks the size of the largest packet that arrives unfragmented, and its size on the link.
  void judge_mtu(const Compiled& states, Family family, const Reach& small) {
    const effective::Dataplane& dataplane = *network_.dataplane_of(family);
    const std::uint32_t mtu = dataplane.pod_mtu;
    if (mtu < 200 || small.none()) return;
    const bool fits = mtu + dataplane.overhead_bytes <= dataplane.link_mtu;
    count(fits ? "fits the link" : "exceeds the link");
    const Reach full(states, network_, family, mtu);
    const Reach larger(states, network_, family, mtu + 1);
    require(larger.none(),
            fmt::format("explain: pod MTU {}; trace of {} bytes: {}", mtu, mtu + 1, larger.text()));
    if (fits)
      require(full == small, fmt::format("explain: packets of up to {} bytes; trace of them: {}, "
                                         "of small ones: {}",
                                         mtu, full.text(), small.text()));
    else
      require(check_.count(Severity::Warning) + check_.count(Severity::Error) > 0,
              fmt::format("explain: packets of {} bytes exceed the link; check is clean", mtu));
    const std::uint32_t size = fits ? mtu : dataplane.link_mtu - dataplane.overhead_bytes;
    for (std::uint32_t to = 1; to < states.nodes.size(); ++to) {
      const path::Trace trace = trace_between(states, network_, family, 0, to, size);
      if (!trace.delivered) continue;
      const std::size_t on_link = largest_on_the_link(trace);
      const bool is_same_subnet =
          states.fabric.instances[0].subnet == states.fabric.instances[to].subnet;
      // Machines with a /32 address have no neighbours in their subnet.
      const bool has_neighbours =
          is_same_subnet && !provider::profile_of(network_.provider).machines.host_addresses;
      const bool wraps = !(dataplane.cross_subnet && has_neighbours);
      require(on_link <= dataplane.link_mtu,
              fmt::format("trace: {} bytes on a link of {}", on_link, dataplane.link_mtu));
      // Fewer bytes may be added than reserved, because of padding or the second address family.
      require(on_link <= size + dataplane.overhead_bytes,
              fmt::format("explain: overhead {}; trace: {} bytes become {}",
                          dataplane.overhead_bytes, size, on_link));
      if (wraps && dataplane.overhead_bytes > 0)
        require(on_link > size,
                fmt::format("explain: overhead {}; trace adds nothing", dataplane.overhead_bytes));
      if (!wraps || dataplane.overhead_bytes == 0)
        require(on_link == size,
                fmt::format("explain: no overhead; trace: {} bytes become {}", size, on_link));
    }
  }

  /// Runs datagrams between the pods of all pairs of nodes, with the pods' MTU and one byte more.
  runner::Outcome<runner::Prepared> run_prepared(std::uint32_t pod_mtu) {
    const bool is_ipv6 = network_.primary_family() == Family::Ipv6;
    const std::uint32_t headers = is_ipv6 ? 48 : 28;
    const std::uint32_t payload = std::max(pod_mtu, headers + 1) - headers;
    const std::string traffic =
        "  - {name: full, kind: udp, pattern: all-to-all, rate: 2Mbit/s, dontFragment: true, "
        "payloadBytes: ";
    // IPv6 packets that a sender would have to fragment are not simulated.
    const std::string larger =
        "  - {name: larger, kind: udp, pattern: all-to-all, rate: 2Mbit/s, dontFragment: true, "
        "payloadBytes: ";
    const std::string file = folder_.write(
        "scenario.yaml",
        fmt::format("apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\n"
                    "spec:\n  manifests: [shoot.yaml]\n  duration: 40ms\n  variants:\n"
                    "  - name: as-written\n  traffic:\n"
                    "  - {{name: small, kind: udp, pattern: all-to-all, rate: 1Mbit/s, "
                    "payloadBytes: 100}}\n{}{}}}\n{}{}}}\n",
                    traffic, payload, larger, is_ipv6 ? 100 : payload + 1));
    return runner::prepare({.paths = {file}, .subject = subject(), .threads = 1});
  }

  void judge_run(const runner::Prepared& prepared, const Compiled& states) {
    const effective::Dataplane& dataplane = network_.dataplane;
    const auto report = runner::run(prepared, {.subject = subject(), .threads = 1});
    if (!report) {
      require(false,
              "explain has a dataplane, run fails: " + report.error().findings.front().message);
      return;
    }
    judge_findings("run", report->findings);
    const model::VariantResult& variant = report->variants.front();
    using model::VariantStatus;
    const Reach small(states, network_, kSmall);
    const VariantStatus expected = small.all()    ? VariantStatus::Ok
                                   : small.none() ? VariantStatus::NotDeliverable
                                                  : VariantStatus::Partial;
    require(variant.status == expected, fmt::format("trace: {}; run: {} ({})", small.text(),
                                                    to_string(variant.status), variant.reason));
    for (const auto* of : {&small.within(), &small.across()})
      if (of->drop && variant.status == VariantStatus::NotDeliverable)
        require(variant.reason.find(to_string(*of->drop)) != std::string::npos ||
                    small.within().drop != small.across().drop,
                fmt::format("trace: {}; run: {}", small.text(), variant.reason));
    const std::string condition = effective::condition_of_reach(network_, dataplane);
    if (variant.status == VariantStatus::Ok)
      require(condition.empty() ? variant.reason.empty()
                                : variant.reason.find(condition) != std::string::npos,
              fmt::format("explain: {}; run: {}", condition, variant.reason));
    if (!variant.dataplane) return;
    require(variant.dataplane->pod_mtu == dataplane.pod_mtu &&
                variant.dataplane->link_mtu == dataplane.link_mtu &&
                variant.dataplane->overhead_bytes == dataplane.overhead_bytes &&
                variant.dataplane->mode == to_string(dataplane.mode) &&
                variant.dataplane->routes_by == to_string(dataplane.routes_by),
            "run has another dataplane than explain");
    if (variant.status == VariantStatus::NotDeliverable || dataplane.pod_mtu < 200) return;
    const bool fits = dataplane.pod_mtu + dataplane.overhead_bytes <= dataplane.link_mtu;
    for (const model::TrafficResult& traffic : variant.traffic) {
      require(traffic.packets.sent == 0 || traffic.packets.balanced(), "run loses packets");
      if (traffic.name == "larger" && network_.primary_family() == Family::Ipv4)
        require(traffic.goodput_bps == 0,
                fmt::format("explain: pod MTU {}; run delivers larger datagrams with DF",
                            dataplane.pod_mtu));
      else if (traffic.name == "small" || fits)
        require(traffic.goodput_bps > 0,
                fmt::format("trace: {}; run delivers none of the {} datagrams", small.text(),
                            traffic.name));
      if (small.all() && (traffic.name == "small" || (fits && traffic.name == "full")))
        require(traffic.packets.dropped == 0,
                fmt::format("trace: {}; run drops {} of the {} datagrams", small.text(),
                            traffic.packets.dropped, traffic.name));
    }
  }

  void judge_migrations(const std::string& file) {
    for (const auto& [name, target] : migration::kTargets) {
      if (target > migration::Target::Geneve) continue;
      const migration::LoadRequest request{
          .paths = {file}, .subject = subject(), .to = target, .runs = 1};
      const auto assessment =
          migration::assess(request, {.seed = 1, .threads = 1, .vary_durations = false});
      if (!assessment) {
        const Finding& refusal = assessment.error().findings.front();
        count("migrate " + refusal.rule);
        if (refusal.rule == "no-switch")
          require(is(target), fmt::format("migrate --to {}: {}", name, refusal.message));
        continue;
      }
      count(fmt::format("migrate {}", to_string(assessment->verdict())));
      place_ = fmt::format("migrate --to {}: ", name);
      judge_findings("migrate", assessment->loaded().findings);
      judge_migration(*assessment);
    }
  }

  bool is(migration::Target target) const {
    using effective::Encapsulation;
    const Encapsulation encapsulation = network_.dataplane.encapsulation;
    switch (target) {
      case migration::Target::Routed:
        return network_.dataplane.mode == Mode::Routed;
      case migration::Target::Ipip:
        return encapsulation == Encapsulation::Ipip;
      case migration::Target::Vxlan:
        return encapsulation == Encapsulation::Vxlan;
      case migration::Target::Geneve:
        return encapsulation == Encapsulation::Geneve;
      default:
        return false;
    }
  }

  void judge_migration(const migration::Assessment& assessment) {
    const migration::Transition& transition = assessment.loaded().transition;
    const migration::StrategyResult& best = assessment.best();
    const effective::Dataplane& after = transition.after.dataplane;
    const std::string verdict = assessment.headline();
    const auto claim = [&](bool holds, const std::string& what) {
      require(holds, fmt::format("{}{}; verdict: {}", place_, what, verdict));
    };
    claim(transition.before.dataplane.pod_mtu == network_.dataplane.pod_mtu &&
              transition.before.dataplane.routes_by == network_.dataplane.routes_by,
          "begins with another dataplane than explain's");
    if (effective::finding_about_addresses(transition.before) != nullptr ||
        effective::finding_about_addresses(transition.after) != nullptr) {
      claim(assessment.verdict() == migration::MigrationVerdict::NoGo,
            "pods' addresses have no routes");
      return;
    }
    const Reach before(transition.from, transition.before, kSmall);
    const Reach target(transition.to, transition.after, kSmall);
    claim(before.is_as_derived(transition.before),
          fmt::format("begins with {}, derived: not so", before.text()));
    claim(target.is_as_derived(transition.after),
          fmt::format("aims at {}, derived: not so", target.text()));
    if (before.all())
      claim(best.unreachable_before == 0, "pods do not reach each other before; trace: all do");
    else
      claim(best.unreachable_before > 0,
            fmt::format("before: {}, and it is not said", before.text()));
    if (!target.all())
      claim(assessment.verdict() == migration::MigrationVerdict::NoGo,
            fmt::format("ends with {}", target.text()));
    else if (before.all() && best.lasting() > 0)
      count(fmt::format("never restored: {} {} {} -> {} backend {} {}", shoot_.text.provider,
                        shoot_.text.type, network_.row, transition.after.row,
                        to_string(network_.dataplane.backend), verdict));
    else if (assessment.verdict() == migration::MigrationVerdict::NoGo)
      count(fmt::format("no-go: {}", verdict));
    const Compiled end{best.course.end.nodes, best.course.end.fabric, {}};
    if (assessment.verdict() < migration::MigrationVerdict::Unknown) {
      const Reach at_end(end, transition.after, kSmall);
      claim(at_end == target, fmt::format("the simulation ends with {}; trace of the target: {}",
                                          at_end.text(), target.text()));
    }
    // The component that writes routes after the migration.
    const bool by_hand =
        std::ranges::any_of(migration::operator_steps(assessment.loaded(), *best.strategy),
                            [](const migration::OperatorStep& step) {
                              return step.place == migration::StepPlace::Cloud;
                            });
    if (after.cloud_routes != CloudRoutes::Written)
      claim(!by_hand, fmt::format("has cloud routes created, and explain: {}",
                                  to_string(after.cloud_routes)));
    const bool writes = std::ranges::any_of(best.course.steps, [](const migration::Step& step) {
      return step.component.find("oute controller") != std::string::npos ||
             step.component.find("route-controller") != std::string::npos;
    });
    if (writes) count("migrate has a route controller's steps");
    if (after.cloud_routes == CloudRoutes::Written && best.blockers.empty())
      claim(has_controller_routes(end), "explain: routes are written; the simulation ends without");
    if (after.cloud_routes == CloudRoutes::NotWritten && !has_controller_routes(transition.from))
      claim(!has_controller_routes(end),
            "explain: routes are not written; the simulation has some");
  }

  const GeneratedShoot& shoot_;
  Counts& counts_;
  runner::testing::Folder folder_;
  check::CheckReport check_;
  EffectiveDataplane network_;
  std::string place_;
  std::vector<std::string> found_;
};

}  // namespace

std::string explained_text(const GeneratedShoot& shoot) {
  const document::Stream stream = document::parse(shoot.text.yaml(), "shoot.yaml");
  std::string text;
  for (const std::string& part :
       explain::render(stream, shoot.options, explain::Form::Text, 1).text)
    text += part;
  return text;
}

std::string traced_text(const GeneratedShoot& shoot) {
  const document::Stream stream = document::parse(shoot.text.yaml(), "shoot.yaml");
  const explain::Explanation explained = explain::explain(stream, shoot.options, 1);
  const EffectiveDataplane& network = explained.networks.at(0);
  const auto topology = graph::Topology::build({.shoot = &network});
  const auto states = compile::compile(topology.value(), network);
  auto asked = path::ask(states.value(), network, {});
  return path::print(path::report(states.value(), network, *std::move(asked)));
}

std::vector<std::string> contradictions(const GeneratedShoot& shoot, Counts& counts) {
  return Judge(shoot, counts).judge();
}

}  // namespace overlane::agreement
