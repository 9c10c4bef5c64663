#include "scenarios/spec/cost_profile.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"

namespace overlane::spec {
namespace {

using cost::StageCost;
using document::Fields;
using document::Value;

/// At most a millisecond per packet: larger values are in a wrong unit.
constexpr double kMaxNanoseconds = 1'000'000;

/// A number of nanoseconds, rounded to whole picoseconds; absent means zero.
Picos cost(Fields& fields, std::string_view key) {
  const auto number = fields.number(key);
  fields.only_between(fields.value()[key], 0, static_cast<std::int64_t>(kMaxNanoseconds));
  if (!number) return {};
  if (*number < 0 || *number > kMaxNanoseconds) {
    fields.problems().error(
        fields.value()[key], "out-of-range",
        fmt::format("{} is {} ns; it must be between 0 and {}", key, *number, kMaxNanoseconds));
    return {};
  }
  return picoseconds(std::llround(*number * 1000));
}

std::vector<KernelScale> decode_kernels(Fields& spec) {
  std::vector<KernelScale> kernels;
  for (const Value item : spec.list("kernels")) {
    Fields fields(item, spec.problems());
    fields.required("name");
    fields.required("scale");
    const std::string name = fields.string("name").value_or("");
    const double scale = fields.number("scale").value_or(1);
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
  return {cost(stage, "perSkbNanoseconds"), cost(stage, "perPacketNanoseconds"),
          cost(stage, "perByteNanoseconds")};
}

/// Costs of one stage in IPv6, if the profile gives them.
std::optional<StageCost> decode_ipv6(Fields& ipv6, cost::Stage of, CostProfileFile& file) {
  const std::string_view name = cost::to_string(of);
  if (!ipv6.value()[name]) {
    ipv6.fields(name);
    return std::nullopt;
  }
  Fields stage = ipv6.fields(name);
  const StageCost costs = decode_costs(stage);
  stage.required("source");
  file.ipv6_sources[of == cost::Stage::Fib ? 1 : 0] = stage.string("source").value_or("");
  stage.no_others();
  return costs;
}

void decode_stages(Fields& spec, CostProfileFile& file) {
  spec.required("stages");
  Fields stages = spec.fields("stages");
  for (const cost::StageFacts& facts : cost::kStages) {
    if (!facts.is_optional) stages.required(facts.name);
    Fields stage = stages.fields(facts.name);
    if (facts.is_optional && stages.value() && !stages.value()[facts.name]) continue;
    cost::StageCost& costs = file.costs[facts.stage];
    if (facts.per_occasion) {
      costs.per_skb = cost(stage, "nanoseconds");
    } else {
      costs = decode_costs(stage);
    }
    stage.required("source");
    file.sources[static_cast<std::size_t>(facts.stage)] = stage.string("source").value_or("");
    stage.no_others();
  }
  stages.no_others();
}

}  // namespace

CostProfileFile decode_cost_profile_file(Fields& root) {
  CostProfileFile file;
  file.costs.name = document::decode_header(root, "CostProfile");
  root.required("spec");
  Fields spec = root.fields("spec");
  root.no_others();
  spec.required("description");
  file.description = spec.string("description").value_or("");
  file.latency = duration(spec, "latency");
  file.kernel = spec.string("kernel").value_or("");
  file.kernels = decode_kernels(spec);
  file.hosts = spec.strings("hosts");
  decode_stages(spec, file);
  Fields ipv6 = spec.fields("ipv6");
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
