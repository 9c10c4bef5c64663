#include "topologies/overlap/analyze/analyze.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/report/text.h"
#include "topologies/check/check.h"
#include "topologies/document/fields/fields.h"
#include "topologies/domains/declarations.h"
#include "topologies/overlap/report/baseline.h"
#include "topologies/overlap/report/find.h"
#include "topologies/witness/witness.h"

namespace overlane::overlap {

namespace {

/// Says that `name` is unknown. `all` is the number of known names: "3 shoots". If there are many,
/// only the nearest names are listed.
std::string unknown(std::string_view what, const std::string& name, std::string_view all,
                    const std::vector<std::string>& known) {
  constexpr std::size_t kFew = 30;
  const std::size_t most_listed = known.size() > kFew ? 3 : known.size();
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string_view meant = document::closest(name, words);
  const std::string text = fmt::format("there is no {} {} among the {} given", what, name, all);
  if (!meant.empty()) return text + fmt::format("; did you mean {}?", meant);
  return text + fmt::format("; {}: {}", known.size() > kFew ? "the nearest" : "these are",
                            fmt::join(document::nearest(name, words, most_listed), ", "));
}

const Domain* domain_for_proposals(const Request& request, const RoutingScopes& routing_scopes) {
  if (request.domain.empty())
    return routing_scopes.domains.size() == 1 ? &routing_scopes.domains.front() : nullptr;
  const auto named = std::ranges::find(routing_scopes.domains, request.domain, &Domain::key);
  return named == routing_scopes.domains.end() ? nullptr : &*named;
}

std::string invalid_proposals(const Request& request, const Comparison& comparison) {
  const Domain* domain = domain_for_proposals(request, comparison.routing_scopes);
  if (domain == nullptr)
    return request.domain.empty()
               ? "--propose needs --domain, the routing domain of the new shoots"
               : fmt::format("--propose: {} is not a network of shoots", request.domain);
  Wanted wanted = *request.wanted;
  if (!domain->shoots.empty())
    wanted.provider = comparison.inventory.shoots[domain->shoots.front()].provider;
  const std::string flaw = wanted.flaw();
  return flaw.empty() ? "" : "--propose: " + flaw;
}

/// "garden-dev/one is a shoot in the routing domain aws/vpc-1" if a shoot was named instead of its
/// domain.
std::string domains_of_shoot(const std::string& name, const Comparison& comparison) {
  const std::vector<Shoot>& shoots = comparison.inventory.shoots;
  std::vector<std::string_view> keys;
  for (const Domain& domain : comparison.routing_scopes.domains)
    for (const std::uint32_t shoot : domain.shoots)
      if (shoots[shoot].object.qualified() == name) keys.push_back(domain.key);
  return keys.empty() ? ""
                      : fmt::format("{} is a shoot in the routing domain {}", name,
                                    fmt::join(keys, " and "));
}

std::string missing_input(bool has_candidates, const Inventory& inventory) {
  if (inventory.shoots.empty()) return "no shoot among the inputs can be compared";
  if (has_candidates && std::ranges::none_of(inventory.shoots, &Shoot::candidate))
    return "no shoot among the candidates (--with) can be compared";
  return "";
}

std::string invalid_request(const Request& request, const Comparison& comparison) {
  std::vector<std::string> shoots;
  if (!request.assumed_modes.empty())
    for (const Shoot& shoot : comparison.inventory.shoots)
      shoots.push_back(shoot.object.qualified());
  for (const auto& [name, mode] : request.assumed_modes)
    if (std::ranges::find(shoots, name) == shoots.end())
      return unknown("shoot", name, report::counted_text(shoots.size(), "shoot"), shoots);
  std::vector<std::string> keys;
  for (const Domain& domain : comparison.routing_scopes.domains)
    keys.push_back(domain.key);
  const auto& connections = comparison.inventory.declared.connections;
  for (const domains::Connection& connection : connections)
    keys.push_back("connection/" + connection.name);
  if (!request.domain.empty() && std::ranges::find(keys, request.domain) == keys.end()) {
    const std::string is_shoot = domains_of_shoot(request.domain, comparison);
    if (!is_shoot.empty()) return "--domain takes a routing domain; " + is_shoot;
    return unknown(
        "routing domain", request.domain,
        fmt::format("{} and {}",
                    report::counted_text(comparison.routing_scopes.domains.size(), "network"),
                    report::counted_text(connections.size(), "connection")),
        keys);
  }
  return request.wanted ? invalid_proposals(request, comparison) : "";
}

/// Maximum number of overlaps that get a witness: each takes about a millisecond.
constexpr std::size_t kMaxWitnesses = 200;

void append(const Findings& more, Findings& findings) {
  findings.insert(findings.end(), more.begin(), more.end());
}

/// Findings for shoots that run and whose update to their candidate is refused by admission.
void append_refused_updates(const Request& request, Findings& findings) {
  for (const Landscape& landscape : request.landscapes)
    if (landscape.candidates)
      append(check::refused_updates(landscape.documents, *landscape.candidates, request.derive),
             findings);
}

/// The shoots that are compared with others.
std::vector<const Shoot*> compared_shoots(const std::vector<ComparisonScope>& scopes) {
  std::vector<const Shoot*> shoots;
  for (const ComparisonScope& scope : scopes)
    for (const ComparedOwner& owner : scope.owners)
      if (owner.shoot != nullptr) shoots.push_back(owner.shoot);
  return shoots;
}

/// Reads the landscapes without candidates and assumed modes.
Comparison read_without_what_if(std::vector<Landscape> landscapes, ReadOptions options,
                                Inventory& what_if) {
  const auto modes = std::exchange(options.assumed_modes, {});
  for (Landscape& landscape : landscapes)
    landscape.candidates.reset();
  Inventory current = LandscapeReader(std::move(landscapes), std::move(options)).read();
  mark_asked_about(modes, current, what_if);
  return Comparison(std::move(current));
}

/// Number of errors over each connection that joins the domain, by the connection's key.
std::map<std::string, std::uint64_t> errors_over_connections(const std::string& domain,
                                                             const Comparison& comparison) {
  const auto is_in_domain = [&](const ComparedOwner& owner) {
    return owner.shoot != nullptr &&
           comparison.routing_scopes.domains[owner.routing_scope.domain].key == domain;
  };
  std::map<std::string, std::uint64_t> errors;
  for (const ComparisonScope& scope : comparison.comparison_scopes) {
    if (!scope.scope.is_connection || std::ranges::none_of(scope.owners, is_in_domain)) continue;
    for (const PairGroup& group : search(scope.entries, scope.scope, 0, Severity::Error))
      if (group.impact.severity == Severity::Error) errors[scope.key] += group.pairs;
  }
  return errors;
}

class Analyzer {
 public:
  Analyzer(const Request& request, const Comparison& comparison)
      : request_(request), comparison_(comparison) {}

  /// `current` is the comparison without candidates and assumed modes; null without a "what if".
  OverlapReport report(const Comparison* current) {
    report_ = find(comparison_);
    if (current != nullptr) compare_with(*current);
    if (request_.baseline) request_.baseline->leave_out_known(report_);
    if (current == nullptr && !request_.baseline)
      report_.errors_over = errors_over_connections(request_.domain, comparison_);
    if (request_.plan) add_plan();
    if (request_.wanted) propose();
    if (current != nullptr || request_.baseline || request_.plan) put_in_order(report_);
    return std::move(report_);
  }

 private:
  OverlapReport find(const Comparison& comparison) const {
    OverlapReport report = find_overlaps(comparison, {.min_severity = request_.min_severity,
                                                      .domain = request_.domain,
                                                      .threads = request_.threads});
    std::erase_if(report.budgets, [&](const RouteBudget& budget) {
      return !request_.domain.empty() && request_.domain != budget.routing_domain;
    });
    report.only_domain = request_.domain;
    return report;
  }

  void compare_with(const Comparison& current) {
    report_changes(find(current), report_);
    report_.what_if->modes = request_.assumed_modes;
    for (const Shoot& shoot : comparison_.inventory.shoots)
      if (shoot.candidate) report_.what_if->applied.push_back(shoot.name());
  }

  void add_plan() {
    report_.plan =
        plan(comparison_, {.min_severity = request_.plan_for, .domain = request_.domain});
    if (report_.what_if) narrow_plan();
    for (const RouteBudget& budget : report_.budgets)
      if (budget.finding && budget.finding->severity >= request_.plan_for)
        report_.left_by_plan.push_back(*budget.finding);
  }

  /// Keeps the steps that resolve new overlaps, and prefers shoots that the question is about:
  /// other overlaps are not part of it.
  void narrow_plan() {
    std::set<std::string_view> asked_about;  // Shoots of the plan that the question is about.
    for (const PlanStep& step : *report_.plan)
      if (comparison_.inventory.shoots[step.shoot].asked_about) asked_about.insert(step.name);
    std::set<std::string_view> needed;
    for (const Overlap& overlap : report_.overlaps) {
      if (overlap.impact.severity < request_.plan_for) continue;
      const bool changes_a = asked_about.contains(overlap.a.shoot);
      const bool changes_b = asked_about.contains(overlap.b.shoot);
      if (changes_a || !changes_b) needed.insert(overlap.a.shoot);
      if (changes_b || !changes_a) needed.insert(overlap.b.shoot);
    }
    std::erase_if(*report_.plan, [&](const PlanStep& step) { return !needed.contains(step.name); });
  }

  void propose() {
    const RoutingScopes& routing_scopes = comparison_.routing_scopes;
    const Domain* domain = domain_for_proposals(request_, routing_scopes);
    const auto number = static_cast<std::uint32_t>(domain - routing_scopes.domains.data());
    report_.proposals =
        FreeRanges(comparison_.inventory, routing_scopes, number).propose(*request_.wanted);
    if (report_.proposals.size() < request_.wanted->shoots)
      report_.findings.push_back(
          {.rule = std::string(rule("no-free-range").id),
           .severity = rule("no-free-range").severity,
           .message = fmt::format("{}: only {} of {} ranges are free", domain->key,
                                  report_.proposals.size(), request_.wanted->shoots),
           .hint = std::string(rule("no-free-range").remedy)});
  }

  const Request& request_;
  const Comparison& comparison_;
  OverlapReport report_;
};

void add_witnesses(const LandscapeReader& reader, const Inventory& inventory,
                   OverlapReport& report) {
  const std::vector<Overlap*> overlaps = witness::select_for_witness(report, kMaxWitnesses);
  std::set<std::string> names;
  for (const Overlap* overlap : overlaps)
    names.insert({overlap->a.shoot, overlap->b.shoot});
  std::vector<const Shoot*> shoots;
  for (const Shoot& shoot : inventory.shoots)
    if (names.contains(shoot.name())) shoots.push_back(&shoot);
  if (!shoots.empty()) witness::add_witnesses(overlaps, reader.derive(shoots));
}

}  // namespace

bool Request::has_candidates() const {
  return std::ranges::any_of(
      landscapes, [](const Landscape& landscape) { return landscape.candidates.has_value(); });
}

Result<Analysis, Refusal> analyze(Request request) {
  Findings findings;
  ReadOptions options{.derive = request.derive,
                      .declared = {},
                      .assumed_modes = request.assumed_modes,
                      .threads = request.threads,
                      .progress = request.progress};
  for (const document::Stream& stream : request.declarations) {
    auto files = domains::decode_all(stream);
    if (files)
      std::ranges::move(*files, std::back_inserter(options.declared));
    else
      append(files.error(), findings);
  }
  append_refused_updates(request, findings);
  const bool has_candidates = request.has_candidates();
  std::vector<Landscape> current_landscapes;
  if (request.asks_what_if()) current_landscapes = request.landscapes;
  LandscapeReader reader(std::exchange(request.landscapes, {}), options);
  Inventory inventory = reader.read();
  append(findings, inventory.findings);
  if (std::string missing = missing_input(has_candidates, inventory); !missing.empty())
    return fail(Refusal{Refusal::Reason::NoShoots, std::move(missing), inventory.findings});
  std::optional<Comparison> current;
  if (!current_landscapes.empty())
    current.emplace(read_without_what_if(std::move(current_landscapes), options, inventory));
  if (request.progress) request.progress(0, 0);
  Comparison comparison(std::move(inventory));
  if (std::string invalid = invalid_request(request, comparison); !invalid.empty())
    return fail(Refusal{Refusal::Reason::InvalidRequest, std::move(invalid), {}});
  reader.keep_only(compared_shoots(comparison.comparison_scopes));
  OverlapReport report = Analyzer(request, comparison).report(current ? &*current : nullptr);
  add_witnesses(reader, comparison.inventory, report);
  return Analysis{std::move(comparison), std::move(report)};
}

AddressMap Analysis::address_map() const {
  const std::vector<Domain>& domains = comparison.routing_scopes.domains;
  std::string key = report.only_domain;
  if (key.empty() && !report.overlaps.empty()) key = report.overlaps.front().routing_domain;
  if (key.empty() && !domains.empty())
    key = std::ranges::max_element(domains, {}, [](const Domain& domain) {
            return domain.shoots.size();
          })->key;
  return map_addresses(comparison, key);
}

}  // namespace overlane::overlap
