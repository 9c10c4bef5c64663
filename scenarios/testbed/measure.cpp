#include "scenarios/testbed/measure.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "dataplane/kernel/experiment/place.h"
#include "results/model/run_report.h"
#include "scenarios/runner/conclude/gather.h"
#include "scenarios/runner/plan/events.h"
#include "scenarios/runner/plan/plan.h"
#include "scenarios/testbed/cluster.h"
#include "scenarios/testbed/kernel_cluster.h"
#include "sim/run/run.h"

namespace overlane::testbed {
namespace {

using model::Ending;
using model::RunReport;
using model::VariantResult;
using model::VariantStatus;
using run::TrafficGroup;
using runner::Failure;

using Round = std::vector<TrafficGroup>;

/// Name of the only variant when hosts are measured over their existing network.
constexpr const char* kAsItIs = "as it is";

/// A variant under measurement.
struct Measured {
  VariantResult variant;
  const run::Network* network = nullptr;
  std::unique_ptr<Cluster> cluster;  ///< Null if the variant cannot run; `variant` has the reason.
  std::vector<Round> rounds;
  std::vector<std::vector<Slice>> slices;  ///< By round.
};

Finding note(std::string rule, Severity severity, std::string message, std::string hint = "") {
  return {.rule = std::move(rule),
          .severity = severity,
          .message = std::move(message),
          .hint = std::move(hint)};
}

/// Removes the assumptions about hardware and network, because this machine replaces both.
std::vector<model::Assumption> of_the_states(std::vector<model::Assumption> assumptions) {
  constexpr std::array<std::string_view, 6> kSimulated = {"machine.", "latency.", "udp.",
                                                          "queue.",   "tcp.",     "fabric."};
  std::erase_if(assumptions, [&](const model::Assumption& assumption) {
    return std::ranges::any_of(kSimulated, [&](std::string_view begin) {
      return assumption.parameter.starts_with(begin);
    });
  });
  return assumptions;
}

class Measurement {
 public:
  Measurement(const runner::Prepared& prepared, const runner::Request& request,
              const MeasureOptions& options, Hosts& hosts)
      : prepared_(prepared),
        request_(request),
        options_(options),
        hosts_(hosts),
        baseline_(hosts.is_as_is() ? kAsItIs : prepared.scenario.baseline),
        never_(false),
        stop_(request.steering.stop != nullptr ? *request.steering.stop : never_) {}

  runner::Outcome<RunReport> run() {
    runner::Plan plan = make_plan(
        prepared_, {.seed = seed_of(request_, prepared_.scenario), .threads = 1, .series = {}});
    set_up(plan);
    // The first slice does not count, because the machine was idle before and the caches are cold.
    for (std::uint32_t slice = 0; slice <= options_.most_slices && !is_over(); ++slice) {
      const bool goes_on = measure_slice(slice);
      if (slice == 0)
        for (Measured& one : measured_)
          for (std::vector<Slice>& slices : one.slices)
            slices.clear();
      if (!goes_on || is_precise_enough(slice)) break;
    }
    if (options_.is_cross_checked) cross_check();
    if (options_.fast_path) forward_with_fast_path();
    return report(plan);
  }

 private:
  /// True if the caller stopped the measurement, or a host has disappeared.
  bool is_over() const { return stop_ || !lost_.empty(); }

  void set_up(const runner::Plan& plan) {
    for (const runner::LaidOut& laid_out : plan.variants) {
      if (hosts_.is_as_is() && !laid_out.network) continue;
      add(plan, laid_out);
      if (options_.is_noise_measured && measured_.back().variant.name == baseline_) {
        add(plan, laid_out);
        measured_.back().variant.name += " again";
      }
      if (hosts_.is_as_is())
        return;  // The variants would differ only in devices that are not created here.
    }
  }

  void add(const runner::Plan& plan, const runner::LaidOut& laid_out) {
    Measured& one = measured_.emplace_back();
    one.variant = laid_out.variant;
    if (hosts_.is_as_is()) {
      one.variant.name = kAsItIs;
      one.variant.dataplane.reset();
    }
    if (!laid_out.network || is_over()) return;
    one.network = &*laid_out.network;
    if (std::string reason = hosts_.obstacle(*laid_out.network); !reason.empty())
      return give_up(one, VariantStatus::Unsupported, std::move(reason));
    std::vector<TrafficGroup> all;
    for (Round round : rounds_of(plan, laid_out)) {
      std::erase_if(round, [&](const TrafficGroup& group) { return is_left_out(group); });
      if (round.empty()) continue;
      all.insert(all.end(), round.begin(), round.end());
      one.rounds.push_back(std::move(round));
    }
    one.slices.resize(one.rounds.size());
    auto cluster = hosts_.make(*laid_out.network, all, options_.slice.offloads);
    if (!cluster) return fail_with(one, VariantStatus::Unsupported, "", cluster.error());
    one.cluster = *std::move(cluster);
    note_mtus(one);
  }

  /// Sets the MTUs of the hosts' links in place of those of the manifests.
  void note_mtus(Measured& one) {
    const auto mtus = one.cluster->mtus();
    if (!mtus || !one.variant.dataplane) return;
    model::VariantDataplane& dataplane = *one.variant.dataplane;
    if (dataplane.pod_mtu != mtus->pod)
      findings_.push_back(
          note("other-mtu", Severity::Note,
               fmt::format("{}: pods have an MTU of {}, not {}, because the hosts' links have {}",
                           one.variant.name, mtus->pod, dataplane.pod_mtu, mtus->link)));
    dataplane.pod_mtu = mtus->pod;
    dataplane.link_mtu = mtus->link;
  }

  /// Gives up the variant, or all variants if a host has disappeared.
  void fail_with(Measured& one, VariantStatus status, const std::string& what,
                 const HostsFailure& failure) {
    if (!failure.is_final) return give_up(one, status, what + failure.message);
    if (stop_) return;  // A stop also ends the connection.
    lost_ = failure.message;
    findings_.push_back(note(std::string(kHostLost), Severity::Error, lost_,
                             "the figures are those of the slices until then"));
  }

  static const std::vector<Round>& rounds_of(const runner::Plan& plan,
                                             const runner::LaidOut& laid_out) {
    const auto other = plan.other_rounds.find(runner::Plan::manner(laid_out));
    return (other == plan.other_rounds.end() ? plan.rounds : other->second).front();
  }

  static void give_up(Measured& one, VariantStatus status, std::string reason) {
    one.variant.status = status;
    one.variant.reason = std::move(reason);
    one.cluster.reset();
  }

  bool is_left_out(const TrafficGroup& group) {
    const std::string reason = not_measurable(group);
    if (reason.empty()) return false;
    if (left_out_.insert(group.name).second)
      findings_.push_back(
          note("not-measured", Severity::Warning, fmt::format("{}: {}", group.name, reason)));
    return true;
  }

  bool is_precise_enough(std::uint32_t slice) {
    if (slice < options_.least_slices) return false;
    wide_.clear();
    for (const WideRatio& ratio : wide_ratios())
      wide_.insert(ratio.traffic);
    return wide_.empty();
  }

  /// Whether a traffic needs another slice. All traffic does up to the minimum number of slices.
  bool is_wanted(const Round& round, std::uint32_t slice) const {
    return slice <= options_.least_slices ||
           std::ranges::any_of(
               round, [&](const TrafficGroup& group) { return wide_.contains(group.name); });
  }

  /// Measures one slice of each traffic of each variant that needs more. Returns false if this was
  /// the last slice.
  bool measure_slice(std::uint32_t slice) {
    std::size_t rounds = 0;
    for (const Measured& one : measured_)
      rounds = std::max(rounds, one.rounds.size());
    bool any = false;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < measured_.size() && !is_over(); ++i) {
        // Another variant begins in each slice.
        Measured& one = measured_[(i + slice) % measured_.size()];
        if (!one.cluster || round >= one.rounds.size()) continue;
        if (!is_wanted(one.rounds[round], slice)) continue;
        if (options_.on_progress)
          options_.on_progress({.slice = slice,
                                .min = options_.least_slices,
                                .max = options_.most_slices,
                                .variant = one.variant.name,
                                .traffic = runner::name_of(one.rounds[round])});
        auto measured = one.cluster->carry(one.rounds[round], options_.slice.times, stop_);
        if (stop_) return false;
        if (!measured) {
          fail_with(one, VariantStatus::NotDeliverable, runner::name_of(one.rounds[round]) + ": ",
                    measured.error());
          continue;
        }
        one.slices[round].push_back(*std::move(measured));
        any = true;
      }
    }
    return any && !is_over();
  }

  /// Cross-checks each traffic of each variant in turn; the medians go to the report.
  void cross_check() {
    constexpr std::size_t kTimes = 3;
    std::map<std::pair<std::size_t, std::string>, std::vector<std::int64_t>> values;
    std::map<std::pair<std::size_t, std::string>, model::CrossCheck> checks;
    std::set<std::string> refused;
    for (std::size_t time = 0; time < kTimes; ++time) {
      for (std::size_t i = 0; i < measured_.size(); ++i) {
        for (const Round& round : measured_[i].rounds) {
          for (const TrafficGroup& group : round) {
            if (is_over() || !measured_[i].cluster || refused.contains(group.name)) continue;
            const auto figure = measured_[i].cluster->cross_check(group, std::chrono::seconds(1));
            if (stop_) return;
            if (!figure) {
              refused.insert(group.name);
              findings_.push_back(note("not-cross-checked", Severity::Note,
                                       fmt::format("{}: {}", group.name, figure.error())));
              continue;
            }
            values[{i, group.name}].push_back(figure->value);
            checks[{i, group.name}] = {.variant = measured_[i].variant.name,
                                       .traffic = group.name,
                                       .program = figure->program,
                                       .metric = std::string(model::judged_figure(group.kind))};
          }
        }
      }
    }
    for (auto& [key, check] : checks) {
      std::ranges::sort(values[key]);
      check.value = values[key][values[key].size() / 2];
      cross_checks_.push_back(check);
    }
  }

  /// Forwards the datagrams of each variant with the fast path. A note names other traffic, and
  /// failures.
  void forward_with_fast_path() {
    std::set<std::string> named;
    for (const Measured& one : measured_) {
      for (const Round& round : one.rounds) {
        for (const TrafficGroup& group : round) {
          if (is_over()) return;
          if (!one.cluster) continue;
          const auto figure = forward_with_fast_path(one, group);
          if (figure)
            cross_checks_.push_back({.variant = one.variant.name,
                                     .traffic = group.name,
                                     .program = figure->program,
                                     .metric = std::string(model::judged_figure(group.kind)),
                                     .value = figure->value});
          else if (named.insert(group.name + figure.error()).second)
            findings_.push_back(
                note("not-measured", Severity::Note,
                     fmt::format("{}, executor fastpath: {}", group.name, figure.error())));
        }
      }
    }
  }
  Parsed<kernel::OtherFigure> forward_with_fast_path(const Measured& one,
                                                     const TrafficGroup& group) const {
    if (group.kind != model::TrafficKind::Udp)
      return fail("it forwards packets and has no sockets; only datagrams are measured");
    return testbed::forward_with_fast_path(
        *options_.fast_path,
        {.encapsulation = one.variant.dataplane ? one.variant.dataplane->encapsulation : "",
         .payload_bytes = group.payload_bytes,
         .family = group.pairs.front().destination.address.family(),
         .flows = static_cast<std::uint32_t>(group.pairs.size()) * group.flows_per_pair,
         .peers = static_cast<std::uint32_t>(one.network->nodes.size() - 1)});
  }

  std::vector<VariantResult> variants() const {
    std::vector<VariantResult> variants;
    for (const Measured& one : measured_) {
      VariantResult& variant = variants.emplace_back(one.variant);
      double busy = 0;
      for (const std::vector<Slice>& slices : one.slices) {
        add_traffic(slices, variant);
        for (const Slice& slice : slices)
          busy = std::max(busy, slice.busy);
      }
      variant.cpu_utilisation.mean_ppm = variant.cpu_utilisation.max_ppm =
          static_cast<std::int64_t>(busy * 1e6);
    }
    return variants;
  }

  std::optional<model::KernelFacts> kernel_facts(const Measured& one, bool is_emulated) const {
    if (!one.cluster) return std::nullopt;
    std::size_t slices = one.slices.empty() ? 0 : SIZE_MAX;
    for (const std::vector<Slice>& round : one.slices)
      slices = std::min(slices, round.size());
    // Offloads of the devices that a measurement creates. It creates no devices over an existing
    // network.
    kernel::DeviceOffloads offloads = options_.slice.offloads;
    const std::vector<model::MeasuredHost> hosts = hosts_.facts();
    if (hosts_.is_as_is()) {
      offloads.segmentation = std::ranges::all_of(hosts, &model::MeasuredHost::segmentation);
      offloads.receive = std::ranges::all_of(hosts, &model::MeasuredHost::receive);
    }
    return model::KernelFacts{.release = hosts_.kernel_release(),
                              .wire = one.cluster->wire(),
                              .segmentation = offloads.segmentation,
                              .receive = offloads.receive,
                              .is_emulated = is_emulated,
                              .slices = static_cast<std::int64_t>(slices),
                              .losses = one.cluster->losses(),
                              .hosts = hosts};
  }

  static void add_traffic(const std::vector<Slice>& slices, VariantResult& variant) {
    if (slices.empty()) return;
    for (std::size_t group = 0; group < slices.front().traffic.size(); ++group) {
      std::vector<model::TrafficResult> results;
      for (const Slice& slice : slices)
        results.push_back(slice.traffic[group]);
      variant.traffic.push_back(runner::pool(results));
      std::erase_if(variant.traffic.back().repeated, [](const model::RepeatedFigure& figure) {
        return std::ranges::count(figure.values, 0) == std::ssize(figure.values);
      });
      if (results.front().cpu) variant.traffic.back().cpu = mean_cost(results);
    }
  }

  static model::CpuCost mean_cost(const std::vector<model::TrafficResult>& results) {
    model::CpuCost mean;
    for (std::int64_t model::CpuCost::*part :
         {&model::CpuCost::user_ns_per_gb, &model::CpuCost::system_ns_per_gb,
          &model::CpuCost::softirq_ns_per_gb, &model::CpuCost::ns_per_message}) {
      for (const model::TrafficResult& one : results)
        mean.*part += (*one.cpu).*part;
      mean.*part /= static_cast<std::int64_t>(results.size());
    }
    return mean;
  }

  /// A ratio whose interval is wider than requested.
  struct WideRatio {
    std::string traffic;
    std::string text;  ///< "vxlan / routed, bulk: ± 3.1 % after 60 slices"
  };
  std::vector<WideRatio> wide_ratios() const {
    std::vector<WideRatio> wide;
    const std::vector<VariantResult> all = variants();
    for (const model::Comparison& row : runner::compare(all, baseline_)) {
      const auto variant = std::ranges::find(all, row.variant, &VariantResult::name);
      const auto traffic =
          std::ranges::find(variant->traffic, row.traffic, &model::TrafficResult::name);
      const auto interval = model::mean_interval(row.repeated_ppm);
      if (row.metric == model::judged_figure(traffic->kind) && interval &&
          interval->half_width > static_cast<double>(options_.precision_ppm))
        wide.push_back(
            {row.traffic,
             fmt::format("{} / {}, {}: ± {:.1f} % after {} slices", row.variant, row.baseline,
                         row.traffic, interval->half_width / 1e4, row.repeated_ppm.size())});
    }
    return wide;
  }

  /// The network for the packet engine's prediction, with the processors of this machine instead of
  /// those of the nodes.
  run::Network as_namespaces(const run::Network& measured) const {
    run::Network network = measured;
    const bool segmentation = options_.slice.offloads.segmentation;
    for (host::Machine& machine : network.machines) {
      machine = {.nic_rate = host::kVethRate, .cores = processors()};
      machine.offloads = {.gso = segmentation,
                          .tso = segmentation,
                          .ipxip4_segmentation = segmentation,
                          .udp_tnl_segmentation = segmentation,
                          .gro = segmentation};
    }
    network.wire = cost::Wire::Veth;
    network.paths = {.within_zone = {}, .across_zones = {}, .jitter = {}};
    network.limits = {};
    network.costs = options_.predict_with->costs;
    return network;
  }

  /// Predicts the judged figure of each traffic of `variants`, which are those of measured_.
  runner::Outcome<std::vector<model::Prediction>> predictions(
      const runner::Plan& plan, const std::vector<VariantResult>& variants) const {
    std::vector<model::Prediction> all;
    for (std::size_t i = 0; i < measured_.size(); ++i) {
      const Measured& one = measured_[i];
      if (!options_.predict_with || !one.cluster || is_over()) continue;
      const run::Network network = as_namespaces(*one.network);
      for (const Round& round : one.rounds) {
        run::RunOptions options = plan.options;
        options.seed = plan.seeds.front();
        const auto predicted = run::run(network, round, options);
        if (!predicted)
          return fail(Failure{Failure::Kind::Internal,
                              {note("internal-error", Severity::Error, predicted.error())}});
        for (const model::TrafficResult& traffic : predicted->traffic)
          add_prediction(variants[i], traffic, all);
      }
    }
    return all;
  }

  static void add_prediction(const VariantResult& variant, const model::TrafficResult& predicted,
                             std::vector<model::Prediction>& all) {
    const auto measured =
        std::ranges::find(variant.traffic, predicted.name, &model::TrafficResult::name);
    if (measured == variant.traffic.end()) return;
    for (const model::TrafficFigure& figure : model::kTrafficFigures)
      if (figure.name == model::judged_figure(predicted.kind))
        all.push_back({.variant = variant.name,
                       .traffic = predicted.name,
                       .metric = std::string(figure.name),
                       .measured = figure.value(*measured),
                       .predicted = figure.value(predicted)});
  }

  runner::Outcome<RunReport> report(const runner::Plan& plan) {
    const bool is_emulated = kernel::is_user_mode_linux();
    if (is_emulated)
      findings_.push_back(note(
          "not-comparable", Severity::Warning,
          "user-mode Linux emulates each system call: its figures and ratios are not those of a "
          "machine; only what arrives and what is lost tells something"));
    for (const WideRatio& ratio : wide_ratios())
      findings_.push_back(note("not-precise", Severity::Warning,
                               fmt::format("{}, not the {:g} % asked for", ratio.text,
                                           static_cast<double>(options_.precision_ppm) / 1e4),
                               "measure longer (--most-slices), or on a quieter machine"));
    std::vector<VariantResult> all = variants();
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i].kernel = kernel_facts(measured_[i], is_emulated);
    auto predicted = predictions(plan, all);
    if (!predicted) return fail(std::move(predicted.error()));
    RunReport report{.scenario = prepared_.scenario.name,
                     .executor = model::Executor::Kernel,
                     .seed = plan.seeds.front(),
                     .seeds = plan.seeds,
                     .assumptions = hosts_.is_as_is()
                                        ? std::vector<model::Assumption>()
                                        : of_the_states(prepared_.subject.assumptions),
                     .variants = std::move(all),
                     .predictions = *std::move(predicted),
                     .cross_checks = cross_checks_,
                     .cost_profile = options_.predict_with ? options_.predict_with->costs.name : "",
                     .environment = request_.environment,
                     .findings = prepared_.subject.findings};
    for (VariantResult& variant : report.variants) {
      if (!is_over() || variant.status != VariantStatus::Ok) continue;
      variant.ending = Ending::Interrupted;
      variant.status = variant.traffic.empty() ? VariantStatus::NotRun : VariantStatus::Partial;
      variant.reason = fmt::format("{}; the figures are those of the slices until then",
                                   lost_.empty() ? "interrupted" : lost_);
    }
    report.comparison = runner::compare(report.variants, baseline_);
    // Traffic that was not measured has no ratio.
    std::erase_if(report.comparison,
                  [](const model::Comparison& row) { return !row.ratio_ppm.has_value(); });
    for (const Findings& more : {hosts_.findings(), findings_})
      report.findings.insert(report.findings.end(), more.begin(), more.end());
    return report;
  }

  const runner::Prepared& prepared_;
  const runner::Request& request_;
  const MeasureOptions& options_;
  Hosts& hosts_;
  const std::string baseline_;
  const std::atomic<bool> never_;
  const std::atomic<bool>& stop_;
  std::string lost_;  ///< Message about the host that has disappeared; empty if there is none.
  std::vector<Measured> measured_;
  std::set<std::string> left_out_;
  std::set<std::string> wide_;  ///< Traffic with a ratio that is not yet precise.
  std::vector<model::CrossCheck> cross_checks_;
  Findings findings_;
};

}  // namespace

runner::Outcome<model::RunReport> measure(const runner::Prepared& prepared,
                                          const runner::Request& request,
                                          const MeasureOptions& options, Hosts& hosts) {
  if (!prepared.scenario.events.empty())
    return fail(Failure{Failure::Kind::Usage,
                        {note("not-measured", Severity::Error,
                              "a scenario with events is simulated only, not measured")}});
  return Measurement(prepared, request, options, hosts).run();
}

}  // namespace overlane::testbed
