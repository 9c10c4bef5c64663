#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "scenarios/library/library.h"
#include "scenarios/runner/runner.h"
#include "scenarios/spec/cost_profile.h"
#include "scenarios/spec/header.h"
#include "scenarios/traffic/expand.h"
#include "topologies/document/parse.h"
#include "topologies/document/read.h"

namespace overlane::runner {
namespace {

/// The built-in comparison (`kind: Scenario`), and the lines of it that name its manifests.
constexpr std::string_view kDefaultScenario = "default-calico.yaml";
constexpr std::string_view kDefaultManifests =
    "  manifests:\n  - ../../topologies/library/manifests/shoot-aws.yaml\n";

/// Whether the first document of a file says it is one of ours, and which kind.
std::string own_kind(const document::Stream& stream) {
  if (stream.documents.empty()) return "";
  const document::Value root = stream.documents.front().root();
  return root["apiVersion"].text().starts_with("overlane.dev/") ? std::string(root["kind"].text())
                                                                : "";
}

/// A YAML scalar that any path fits into.
std::string quoted(const std::string& path) {
  std::string text = "'";
  for (const char c : path)
    text += c == '\'' ? "''" : std::string(1, c);
  return text + "'";
}

/// The library's comparison of this name with the given manifests in place of its own.
std::string default_scenario(const std::vector<std::string>& manifests) {
  std::string text(*library::find(kDefaultScenario));
  std::string list = "  manifests:\n";
  for (const std::string& path : manifests) {
    list += fmt::format("  - {}\n", quoted(path));
  }
  return text.replace(text.find(kDefaultManifests), kDefaultManifests.size(), list);
}

struct ScenarioFile {
  std::string text;  ///< Empty when `tree` was read from the given file.
  document::Tree tree;
};

Outcome<ScenarioFile> find_scenario(const Request& request) {
  if (request.paths.size() == 1 && request.paths[0] != "-" &&
      !std::filesystem::is_directory(request.paths[0])) {
    const auto stream = document::read(request.paths[0]);
    if (!stream) return unusable(stream.error());
    const std::string kind = own_kind(*stream);
    if (kind == "Scenario") {
      if (any_at_or_above(stream->findings, Severity::Error)) return unusable(stream->findings);
      const auto tree = document::read_one(request.paths[0]);
      if (!tree) return unusable(tree.error());
      return ScenarioFile{.text = "", .tree = *tree};
    }
    if (!kind.empty()) {
      const document::Value root = stream->documents.front().root();
      return unusable(Finding{.rule = "unsupported-kind",
                              .severity = Severity::Error,
                              .message = fmt::format("a {} cannot be run by itself", kind),
                              .object = spec::object_of(stream->documents.front()),
                              .path = "kind",
                              .place = root["kind"].place(),
                              .hint = "run a Scenario that names it"});
    }
  }
  std::string text = default_scenario(request.paths);
  auto stream = document::parse(text, library::display_name(kDefaultScenario));
  if (stream.documents.size() != 1) return unusable(std::move(stream.findings));
  return ScenarioFile{.text = std::move(text), .tree = std::move(stream.documents.front())};
}

/// A CostProfile by its name in the library or its path; nothing when the scenario names none.
Outcome<std::optional<cost::CostProfile>> load_costs(const spec::Scenario& scenario) {
  if (scenario.cost_profile.empty()) return std::optional<cost::CostProfile>{};
  document::Tree tree;
  const std::string in_library = scenario.cost_profile + ".yaml";
  if (const auto text = library::find(in_library)) {
    tree = document::parse(*text, library::display_name(in_library)).documents.at(0);
  } else {
    auto read = document::read_one(spec::relative_to(scenario.file, scenario.cost_profile));
    if (!read) return unusable(read.error());
    tree = *std::move(read);
  }
  auto profile = spec::decode_cost_profile(tree);
  if (!profile) return unusable(std::move(profile.error()));
  return std::optional<cost::CostProfile>(*std::move(profile));
}

}  // namespace

Outcome<std::string> scenario_text(const Request& request) {
  auto file = find_scenario(request);
  if (!file) return fail(std::move(file.error()));
  if (!file->text.empty()) return std::move(file->text);
  std::ifstream stream(request.paths.at(0), std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

Outcome<Prepared> prepare(const Request& request) {
  auto file = find_scenario(request);
  if (!file) return fail(std::move(file.error()));
  auto scenario = spec::decode_scenario(file->tree);
  if (!scenario) return unusable(std::move(scenario.error()));
  if (!file->text.empty()) scenario->file.clear();  // Paths of the command line, not of a file.
  auto costs = load_costs(*scenario);
  if (!costs) return fail(std::move(costs.error()));
  auto subject = load_subject(*scenario, request.subject);
  if (!subject) return fail(std::move(subject.error()));
  auto traffic = traffic::expand(scenario->traffic, subject->topology, subject->findings);
  if (!traffic) return unusable(traffic.error());
  return Prepared{*std::move(scenario), *std::move(subject), *std::move(costs),
                  *std::move(traffic)};
}

}  // namespace overlane::runner
