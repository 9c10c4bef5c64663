#include "scenarios/calibrate/files.h"

#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/library/library.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::calibrate {
namespace {

constexpr std::string_view kTablePrefix = "table-";
constexpr std::string_view kSuffix = ".yaml";
/// One way between two servers of one rack: NICs, driver queues and a switch.
constexpr Picos kDefaultLatency = microseconds(5);

/// Makes all costs those of `prior` but the hypervisor's.
void keep_vhost(cost::CostProfile& costs, const cost::CostProfile& prior) {
  const cost::StageCost vhost = costs[cost::Stage::Vhost];
  costs.stages = prior.stages;
  costs[cost::Stage::Vhost] = vhost;
}

/// The only document of a library file, or, if the library has no such file, of the file at `path`.
/// `known`: the library's names, for the hint.
Result<document::Tree, Findings> load(const std::string& in_library, const std::string& path,
                                      const std::string& known) {
  if (const auto text = library::find(in_library)) {
    document::Stream stream = document::parse(*text, library::display_name(in_library));
    if (stream.documents.size() != 1) return fail(std::move(stream.findings));
    return std::move(stream.documents.front());
  }
  auto tree = document::read_one(path);
  if (tree) return *std::move(tree);
  if (!std::filesystem::exists(path)) tree.error().hint = "the library has " + known;
  return fail(Findings{tree.error()});
}

}  // namespace

Result<MeasurementTable, Findings> load_table(const std::string& name) {
  const auto tree = load(std::string(kTablePrefix) + name + std::string(kSuffix), name,
                         fmt::format("{}", fmt::join(library_tables(), ", ")));
  if (!tree) return fail(tree.error());
  return decode_table(*tree);
}

Result<spec::CostProfileFile, Findings> load_profile(const std::string& name) {
  const auto tree = load(name + std::string(kSuffix), name, library::profile_names());
  if (!tree) return fail(tree.error());
  return spec::decode_cost_profile_file(*tree);
}

std::vector<std::string> library_tables() {
  std::vector<std::string> names;
  for (std::string_view file : library::file_names()) {
    if (!file.starts_with(kTablePrefix)) continue;
    file.remove_prefix(kTablePrefix.size());
    file.remove_suffix(kSuffix.size());
    names.emplace_back(file);
  }
  return names;
}

Result<std::vector<spec::CostProfileFile>, Findings> fitted_hosts() {
  const auto prior = load_profile(kPriorProfile);
  if (!prior) return fail(prior.error());
  std::vector<spec::CostProfileFile> hosts;
  for (const std::string& name : library_tables()) {
    const auto table = load_table(name);
    if (!table) return fail(table.error());
    if (table->hosts.wire == cost::Wire::Veth) continue;
    auto profile = load_profile(name);
    if (!profile) return fail(profile.error());
    if (table->hosts.wire == cost::Wire::Virtio) keep_vhost(profile->costs, prior->costs);
    hosts.push_back(*std::move(profile));
  }
  return hosts;
}

Result<HostModel, Findings> model_of_others(const std::string& table) {
  auto hosts = fitted_hosts();
  if (!hosts) return fail(hosts.error());
  std::erase_if(*hosts, [&](const auto& host) { return host.costs.name == table; });
  const auto prior = load_profile(kPriorProfile);
  if (!prior) return fail(prior.error());
  const document::Stream mean = document::parse(write_usual_profile(*hosts, *prior), "mean.yaml");
  auto profile = spec::decode_cost_profile_file(mean.documents.at(0));
  if (!profile) return fail(profile.error());
  return model_of(*profile);
}

HostModel model_of(const spec::CostProfileFile& profile) {
  HostModel model{
      .costs = profile.costs, .latency = profile.latency.value_or(kDefaultLatency), .kernels = {}};
  for (const spec::KernelScale& kernel : profile.kernels)
    model.kernels[kernel.name] = kernel.scale;
  return model;
}

}  // namespace overlane::calibrate
