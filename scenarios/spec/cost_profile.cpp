#include "scenarios/spec/cost_profile.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {
namespace {

using cost::StageCost;
using document::FieldKey;
using document::Fields;
using document::Value;

/// At most a millisecond per packet: larger values are in a wrong unit.
constexpr double kMaxNanoseconds = 1'000'000;

/// A number of nanoseconds, rounded to whole picoseconds; absent means zero.
Picos cost(Fields& fields, const FieldKey& key) {
  const auto number = fields.number(key);
  fields.only_between(fields.value()[key.name], 0, static_cast<std::int64_t>(kMaxNanoseconds));
  if (!number) return {};
  if (*number < 0 || *number > kMaxNanoseconds) {
    fields.problems().error(fields.value()[key.name], "out-of-range",
                            fmt::format("{} is {} ns; it must be between 0 and {}", key.name,
                                        *number, kMaxNanoseconds));
    return {};
  }
  return picoseconds(std::llround(*number * 1000));
}

std::vector<KernelScale> decode_kernels(Fields& spec) {
  std::vector<KernelScale> kernels;
  for (const Value item : spec.list(
           FieldKey("kernels", "What other kernels of the same hosts take.", "One kernel."))) {
    Fields fields(item, spec.problems());
    fields.required("name");
    fields.required("scale");
    const std::string name =
        fields.string(FieldKey("name", "As measurement tables name it.")).value_or("");
    const double scale =
        fields.number(FieldKey("scale", "A multiple of every stage's costs.")).value_or(1);
    fields.no_others();
    if (scale > 0) {
      kernels.push_back({name, scale});
    } else {
      spec.problems().error(item["scale"], "out-of-range",
                            fmt::format("scale is {}; it must be above 0", scale));
    }
  }
  return kernels;
}

StageCost decode_costs(Fields& stage) {
  return {cost(stage, FieldKey("perSkbNanoseconds", "For each socket buffer.")),
          cost(stage, FieldKey("perPacketNanoseconds", "For each packet on the wire.")),
          cost(stage, FieldKey("perByteNanoseconds", "For each byte of it."))};
}

/// Costs of one stage in IPv6, if the profile gives them.
std::optional<StageCost> decode_ipv6(Fields& ipv6, cost::Stage of, CostProfileFile& file) {
  const std::string_view name = cost::to_string(of);
  const auto is_given = static_cast<bool>(ipv6.value()[name]);
  Fields stage = ipv6.fields(FieldKey(name, of == cost::Stage::Fib
                                                ? "The look-up of an IPv6 route."
                                                : "ip6tables' chains and connection tracking."));
  if (!is_given) return std::nullopt;
  const StageCost costs = decode_costs(stage);
  stage.required("source");
  file.ipv6_sources[of == cost::Stage::Fib ? 1 : 0] =
      stage.string(FieldKey("source", "Where the figures come from.")).value_or("");
  stage.no_others();
  return costs;
}

void decode_stages(Fields& spec, CostProfileFile& file) {
  spec.required("stages");
  Fields stages = spec.fields(FieldKey("stages", "Every stage; a stage without costs is free."));
  for (const cost::StageFacts& facts : cost::kStages) {
    if (!facts.is_optional) stages.required(facts.name);
    Fields stage = stages.fields(FieldKey(facts.name, "A stage's costs, which are added up."));
    if (facts.is_optional && stages.value() && !stages.value()[facts.name]) continue;
    cost::StageCost& costs = file.costs[facts.stage];
    if (facts.per_occasion) {
      costs.per_skb =
          cost(stage, FieldKey("nanoseconds",
                               "Each time: connection, system-call, interrupt, wake-up, sleep …"));
    } else {
      costs = decode_costs(stage);
    }
    stage.required("source");
    file.sources[static_cast<std::size_t>(facts.stage)] =
        stage.string(FieldKey("source", "Where the figures come from.")).value_or("");
    stage.no_others();
  }
  stages.no_others();
}

}  // namespace

CostProfileFile decode_cost_profile_file(Fields& root) {
  CostProfileFile file;
  file.costs.name = document::decode_header(root, "CostProfile");
  root.required("spec");
  Fields spec = root.fields(FieldKey("spec", "What each stage of the kernel's packet path takes."));
  root.no_others();
  spec.required("description");
  file.description =
      spec.string(FieldKey("description", "The machine and the kernel that it stands for."))
          .value_or("");
  file.latency = duration(
      spec,
      FieldKey("latency",
               "One way between two such hosts, where it was fitted together with the stages."));
  file.kernel =
      spec.string(FieldKey("kernel", "The kernel that the stages' costs are of.")).value_or("");
  file.kernels = decode_kernels(spec);
  file.determined = spec.strings(FieldKey(
      "determined", "Where the costs are fitted: the constants that the measurements determine.",
      "A constant's name, as `calibrate` prints it."));
  file.hosts =
      spec.strings(FieldKey("hosts",
                            "Where the costs are a mean: the profiles of its hosts, by their names "
                            "in the library or their paths. Comparisons get a range over them.",
                            "One of them."));
  decode_stages(spec, file);
  Fields ipv6 = spec.fields(
      FieldKey("ipv6", "What stages take for IPv6 packets, where they differ from IPv4's."));
  file.costs.netfilter_ipv6 = decode_ipv6(ipv6, cost::Stage::Netfilter, file);
  file.costs.fib_ipv6 = decode_ipv6(ipv6, cost::Stage::Fib, file);
  ipv6.no_others();
  spec.no_others();
  return file;
}

cost::StageCost scaled(const cost::StageCost& cost, double factor) {
  const auto times = [factor](Picos time) {
    return picoseconds(std::llround(static_cast<double>(time.count) * factor));
  };
  return {times(cost.per_skb), times(cost.per_packet), times(cost.per_byte)};
}

cost::CostProfile under_kernel(const cost::CostProfile& costs, double scale) {
  cost::CostProfile result = costs;
  const auto slow_down = [scale](cost::StageCost& stage) {
    const Picos per_byte = stage.per_byte;
    stage = scaled(stage, scale);
    stage.per_byte = per_byte;
  };
  for (cost::StageCost& stage : result.stages)
    slow_down(stage);
  for (auto* ipv6 : {&result.netfilter_ipv6, &result.fib_ipv6})
    if (*ipv6) slow_down(**ipv6);
  return result;
}

std::optional<cost::CostProfile> costs_under(const CostProfileFile& file,
                                             const std::string& kernel) {
  if (kernel == file.kernel) return file.costs;
  const auto found = std::ranges::find(file.kernels, kernel, &KernelScale::name);
  if (found == file.kernels.end()) return std::nullopt;
  return under_kernel(file.costs, found->scale);
}

Result<CostProfileFile, Findings> decode_cost_profile_file(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_cost_profile_file);
}

Result<cost::CostProfile, Findings> decode_cost_profile(const document::Tree& tree) {
  auto file = decode_cost_profile_file(tree);
  if (!file) return fail(std::move(file.error()));
  return std::move(file->costs);
}

}  // namespace overlane::spec
