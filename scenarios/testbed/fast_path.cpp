#include "scenarios/testbed/fast_path.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dataplane/kernel/namespaces/process.h"
#include "dataplane/wire/ethernet.h"
#include "sim/transport/segment.h"

namespace overlane::testbed {
namespace {

/// Number of packets of a repetition, which takes 50 to 500 ms.
constexpr const char* kPackets = "2000000";
constexpr std::int64_t kMemoryMib = 512;

/// Whether enough huge pages are free.
bool has_memory(const model::Hugepages& pages) {
  return pages.free * pages.size_bytes >= kMemoryMib << 20;
}

/// Runs a program and returns its JSON output. If it fails or prints no JSON, the error has the
/// first line of its output.
Parsed<nlohmann::json> json_of(const std::vector<std::string>& words) {
  const auto ended = kernel::run_program(words, "");
  if (!ended) return fail(ended.error());
  const std::size_t start = ended->output.find('{');
  auto json = nlohmann::json::parse(
      start == std::string::npos ? ended->output : ended->output.substr(start), nullptr, false);
  if (ended->code == 0 && json.is_object()) return json;
  return fail(fmt::format("overlane-fastpath ended with {}: {}", ended->code,
                          ended->output.substr(0, ended->output.find('\n'))));
}

}  // namespace

Parsed<kernel::OtherFigure> forward_with_fast_path(const FastPath& fast_path,
                                                   const FastPathLoad& load) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kModes{
      {{"none", "routed"}, {"ipip", "ipip"}, {"vxlan", "vxlan"}, {"geneve", "geneve"}}};
  const auto mode = std::ranges::find(kModes, load.encapsulation,
                                      &std::pair<std::string_view, std::string_view>::first);
  if (mode == kModes.end() || load.family != Family::Ipv4)
    return fail("overlane-fastpath bench sends IPv4, routed or in IPIP, VXLAN or Geneve");
  const std::size_t frame =
      wire::kEthernetBytes + transport::kIpv4Header + transport::kUdpHeader + load.payload_bytes;
  std::vector<std::string> words = {fast_path.program, "bench"};
  words.insert(words.end(), fast_path.inputs.begin(), fast_path.inputs.end());
  words.insert(words.end(), {"--mode", std::string(mode->second), "--direction", "encap,decap",
                             "--size", std::to_string(frame), "--flows", std::to_string(load.flows),
                             "--routes", std::to_string(load.peers), "--packets", kPackets,
                             "--memory", std::to_string(kMemoryMib), "--output", "json"});
  if (!has_memory(fast_path.hugepages)) words.emplace_back("--no-hugepages");
  const auto report = json_of(words);
  if (!report) return fail(report.error());
  double slowest = std::numeric_limits<double>::infinity();
  for (const nlohmann::json& one : report->value("cases", nlohmann::json::array()))
    slowest = std::min(slowest, one.value("mpps", 0.0) * 1e6);
  if (!std::isfinite(slowest) || slowest <= 0) return fail("overlane-fastpath measured nothing");
  const std::string version =
      report->value(nlohmann::json::json_pointer("/environment/overlane_version"), std::string());
  return kernel::OtherFigure{"overlane-fastpath " + version,
                             std::llround(slowest * 8 * load.payload_bytes)};
}

}  // namespace overlane::testbed
