#include "scenarios/calibrate/files.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/base/text.h"
#include "scenarios/library/library.h"
#include "topologies/document/read/read.h"
#include "topologies/document/syntax/parse.h"

namespace overlane::calibrate {

namespace {

struct Unit {
  double least;  ///< Smallest value written in this unit.
  double one;    ///< The value of one unit.
  std::string_view name;
};
constexpr std::array kRates = {Unit{1e9, 1e9, "Gbit/s"}, Unit{1e6, 1e6, "Mbit/s"},
                               Unit{0, 1e3, "kbit/s"}};
constexpr std::array kPerSecond = {Unit{1e6, 1e6, "M/s"}, Unit{1e3, 1e3, "k/s"}, Unit{0, 1, "/s"}};

template <typename Units>
std::string in_units(double value, const Units& units) {
  for (const Unit& unit : units)
    if (value >= unit.least) return fmt::format("{:.4g} {}", value / unit.one, unit.name);
  return "";
}

}  // namespace

std::string figure_text(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::Throughput:
      return in_units(value, kRates);
    case Quantity::Transactions:
      return in_units(value, kPerSecond);
    case Quantity::ClientCpu:
    case Quantity::ServerCpu:
      return fmt::format("{:.2f} µs", value / 1000);
    case Quantity::ClientLoad:
    case Quantity::ServerLoad:
      return fmt::format("{:.2f} %", value * 100);
  }
  return "";
}

std::string nanoseconds_text(double value) {
  return value < 1000 ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
}

std::string error_text(double error) {
  return fmt::format("{:+.1f} %", error * 100);
}

namespace {

constexpr std::string_view kTablePrefix = "table-";
constexpr std::string_view kSuffix = ".yaml";
/// One-way latency between two servers of one rack: NICs, driver queues and a switch.
constexpr Picos kDefaultLatency = microseconds(5);

/// Removes all costs except the hypervisor's.
void keep_vhost(cost::CostProfile& costs) {
  const cost::StageCost vhost = costs[cost::Stage::Vhost];
  costs.stages = {};
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

std::vector<std::string> fitted_tables() {
  std::vector<std::string> names = library_tables();
  std::erase_if(names, [](const std::string& name) {
    return !library::find(name + std::string(kSuffix)).has_value();
  });
  return names;
}

const char* usual_profile(cost::Wire wire) {
  return wire == cost::Wire::Virtio ? "linux-guest" : "linux-server";
}

Result<std::vector<spec::CostProfileFile>, Findings> fitted_hosts(cost::Wire wire) {
  std::vector<spec::CostProfileFile> hosts;
  const bool are_guests = wire == cost::Wire::Virtio;
  for (const std::string& name : fitted_tables()) {
    const auto table = load_table(name);
    if (!table) return fail(table.error());
    if (table->hosts.wire == cost::Wire::Veth) continue;
    const bool is_guest = table->hosts.wire == cost::Wire::Virtio;
    if (are_guests && !is_guest) continue;
    auto profile = load_profile(name);
    if (!profile) return fail(profile.error());
    if (is_guest && !are_guests) keep_vhost(profile->costs);
    if (!is_guest) profile->costs[cost::Stage::Vhost] = {};
    hosts.push_back(*std::move(profile));
  }
  return hosts;
}

Result<HostModel, Findings> model_of_others(const MeasurementTable& table) {
  auto hosts = fitted_hosts(table.hosts.wire);
  if (!hosts) return fail(hosts.error());
  std::erase_if(*hosts, [&](const auto& host) { return host.costs.name == table.name; });
  const auto prior = load_profile(kPriorProfile);
  if (!prior) return fail(prior.error());
  const document::Stream mean =
      document::parse(write_usual_profile("others", *hosts, *prior), "mean.yaml");
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

Knowledge knowledge_of(const spec::CostProfileFile& profile, const MeasurementTable& table) {
  std::vector<Constant> determined;
  for (const ConstantFacts& facts : kConstants)
    if (std::ranges::find(profile.determined, facts.name) != profile.determined.end())
      determined.push_back(facts.constant);
  const HostModel model = model_of(profile);
  return Knowledge::of_profile(HostParameters(table, model, {}).all(), determined);
}

namespace {

using cost::Stage;
using cost::StageCost;
using cost::StageFacts;

/// With the digits needed for whole picoseconds.
std::string nanoseconds_in_text(Picos time) {
  std::string text = fmt::format("{:.3f}", static_cast<double>(time.count) / 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// Three digits are more than the accuracy of any cost.
Picos rounded_to_three_digits(Picos time) {
  std::int64_t unit = 1;
  while (time.count / unit >= 1000)
    unit *= 10;
  return picoseconds((time.count + unit / 2) / unit * unit);
}

struct Part {
  Picos StageCost::*part;
  std::string_view unit;
};
constexpr std::array kParts = {Part{&StageCost::per_skb, " per buffer"},
                               Part{&StageCost::per_packet, " per packet"},
                               Part{&StageCost::per_byte, " per byte"}};

std::string fitted(const CalibrationReport& report, Constant constant) {
  const FittedFactor& found = report.fit->constants[static_cast<std::size_t>(constant)];
  return fmt::format("{} x {:.2f} ± {:.0f} %", to_string(constant), found.factor,
                     100 * found.uncertainty);
}

std::string source_of(const CalibrationReport& report, const spec::CostProfileFile& prior,
                      const StageFacts& stage) {
  const std::string& before = prior.sources[static_cast<std::size_t>(stage.stage)];
  if (!report.fit) return before;
  const std::vector<Constant> constants = constants_of(stage.stage);
  if (constants.empty()) return before;
  std::string factors;
  for (const Constant constant : constants) {
    if (!exists(constant, report.table.hosts.wire)) return before;
    const bool identified = report.fit->constants[static_cast<std::size_t>(constant)].identified;
    if (identified) factors += (factors.empty() ? "" : ", ") + fitted(report, constant);
  }
  if (factors.empty()) {
    const auto cost_class = class_of(constants.front());
    const double host =
        cost_class ? report.fit->classes[static_cast<std::size_t>(*cost_class)].factor : 1;
    return host == 1
               ? fmt::format("{} does not tell; {}", report.table.name, before)
               : fmt::format("{} does not tell more than the speed of its hosts ({} x {:.2f}); {}",
                             report.table.name, to_string(*cost_class), host, before);
  }
  return fmt::format("fitted to {} ({}); before: {}", report.table.name, factors, before);
}

std::string stage_text(const StageFacts& facts, const StageCost& cost, const std::string& source) {
  std::string text = fmt::format("    {}:\n", facts.name);
  const auto line = [&](std::string_view key, Picos time) {
    if (time.count != 0) text += fmt::format("      {}: {}\n", key, nanoseconds_in_text(time));
  };
  line(facts.per_occasion ? "nanoseconds" : "perSkbNanoseconds", cost.per_skb);
  line("perPacketNanoseconds", cost.per_packet);
  line("perByteNanoseconds", cost.per_byte);
  return text + fmt::format("      source: {}\n", yaml_quoted(source));
}

const StageFacts& facts_of(Stage stage) {
  return cost::kStages[static_cast<std::size_t>(stage)];
}

/// The mean and range of one cost over the hosts that determine it.
struct Spread {
  Picos mean;  ///< Geometric.
  /// "mean of 2 hosts: ryzen-100g 422, xeon-10g 1520 ns per buffer"; a single host is named with
  /// its kernel, without "mean".
  std::string range;
};

/// Whether a host's measurements determine a part of a stage's cost.
bool determines(const spec::CostProfileFile& host, Stage stage, Picos StageCost::*part) {
  const std::vector<Constant> constants = constants_of(stage);
  if (constants.empty()) return false;
  // The constant of the cost per byte is the last; it is the only one of most stages.
  const Constant constant = part == &StageCost::per_byte ? constants.back() : constants.front();
  return std::ranges::find(host.determined, to_string(constant)) != host.determined.end();
}

/// Mean of one part of a stage's cost over the hosts that have the stage, and its range over those
/// whose measurements determine it: on the others, it follows the speed of the host. Nothing if
/// there is no host, or all have the cost `before` the fits.
std::optional<Spread> spread_of(const std::vector<spec::CostProfileFile>& hosts, Stage stage,
                                Picos StageCost::*part, Picos before, std::string_view unit) {
  double logarithms = 0;
  std::size_t count = 0;
  bool differs = false;
  std::vector<std::string> found;
  std::string kernel;  // Kernel of the last host; a table may not state it.
  for (const spec::CostProfileFile& host : hosts) {
    const Picos time = host.costs[stage].*part;
    const bool is_determined = determines(host, stage, part);
    if (time.count == 0) continue;
    ++count;
    differs |= time != before;
    logarithms += std::log(static_cast<double>(time.count));
    if (!is_determined) continue;
    const bool is_stated = !host.kernel.empty() && host.kernel.front() <= '9';
    kernel = is_stated ? ", kernel " + host.kernel : "";
    found.push_back(fmt::format("{} {}", host.costs.name, nanoseconds_in_text(time)));
  }
  if (!differs) return std::nullopt;
  const Picos mean = rounded_to_three_digits(
      picoseconds(std::llround(std::exp(logarithms / static_cast<double>(count)))));
  if (found.empty())
    return Spread{mean, fmt::format("of none of the hosts, but follows their speed: {} ns{}",
                                    nanoseconds_in_text(mean), unit)};
  const std::string hosts_text =
      count > found.size() ? fmt::format("mean of {} hosts, of which {} determine{} it", count,
                                         found.size(), found.size() == 1 ? "s" : "")
      : count > 1          ? fmt::format("mean of {} hosts", count)
                           : "of one host" + kernel;
  return Spread{mean, fmt::format("{}: {} ns{}", hosts_text, fmt::join(found, ", "), unit)};
}

}  // namespace

std::string write_usual_profile(const char* name, const std::vector<spec::CostProfileFile>& hosts,
                                const spec::CostProfileFile& prior) {
  const auto names =
      hosts | std::views::transform([](const auto& host) { return host.costs.name; });
  std::string text = fmt::format(
      "# Written by `overlane calibrate --library -o yaml`.\n"
      "#\n"
      "# CPU costs of a Linux kernel, for hosts without measurements: each cost is the geometric\n"
      "# mean over the hosts whose measurements determine it. The source of each stage says how "
      "many those\n"
      "# are, which, and their range: several stages come from one host, and some from none. "
      "Figures that\n"
      "# depend on these costs are ranges over spec.hosts. Fit a profile to measurements of your "
      "hosts if\n"
      "# you have any.\n"
      "apiVersion: overlane.dev/v1alpha1\n"
      "kind: CostProfile\n"
      "metadata:\n"
      "  name: {name}\n"
      "spec:\n"
      "  description: 'the mean of hosts that were measured: {hosts}'\n"
      "  hosts: [{hosts}]\n"
      "  stages:\n",
      fmt::arg("name", name), fmt::arg("hosts", fmt::join(names, ", ")));
  for (const StageFacts& facts : cost::kStages) {
    StageCost cost = prior.costs[facts.stage];
    std::string ranges;
    for (const auto& [part, unit] : kParts) {
      const auto spread =
          spread_of(hosts, facts.stage, part, cost.*part, facts.per_occasion ? "" : unit);
      if (!spread) continue;
      cost.*part = spread->mean;
      ranges += (ranges.empty() ? "" : "; ") + spread->range;
    }
    const std::string& before = prior.sources[static_cast<std::size_t>(facts.stage)];
    text += stage_text(facts, cost,
                       ranges.empty() ? "of none of the hosts: " + before
                                      : fmt::format("{}; before the fits: {}", ranges, before));
  }
  return text;
}

std::string write_profile(const CalibrationReport& report, const spec::CostProfileFile& prior) {
  const HostModel& model = report.model;
  std::string text = fmt::format(
      "# Written by `overlane calibrate --table {} -o yaml`.\n"
      "apiVersion: overlane.dev/v1alpha1\n"
      "kind: CostProfile\n"
      "metadata:\n"
      "  name: {}\n"
      "spec:\n"
      "  description: {}\n"
      "  latency: {}ns\n",
      report.table.name, report.table.name,
      yaml_quoted(fmt::format("fitted to {}: {}", report.table.name, report.table.description)),
      nanoseconds_in_text(model.latency));
  text += fmt::format("  kernel: {}\n", yaml_quoted(report.table.hosts.kernel));
  if (report.fit) {
    std::vector<std::string_view> names;
    for (const ConstantFacts& facts : kConstants)
      if (report.fit->constants[static_cast<std::size_t>(facts.constant)].identified)
        names.push_back(facts.name);
    text += fmt::format("  determined: [{}]\n", fmt::join(names, ", "));
  }
  if (!model.kernels.empty()) text += "  kernels:\n";
  for (const auto& [name, scale] : model.kernels)
    text += fmt::format("  - {{name: {}, scale: {:.3g}}}\n", yaml_quoted(name), scale);
  text += "  stages:\n";
  for (const StageFacts& facts : cost::kStages)
    text += stage_text(facts, model.costs[facts.stage], source_of(report, prior, facts));
  if (model.costs.netfilter_ipv6 || model.costs.fib_ipv6) text += "  ipv6:\n";
  const auto ipv6 = [&](Stage stage, const std::optional<StageCost>& cost, std::size_t source) {
    if (cost) text += stage_text(facts_of(stage), *cost, prior.ipv6_sources[source]);
  };
  ipv6(Stage::Netfilter, model.costs.netfilter_ipv6, 0);
  ipv6(Stage::Fib, model.costs.fib_ipv6, 1);
  return text;
}

}  // namespace overlane::calibrate
