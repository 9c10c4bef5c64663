#include "scenarios/runner/testing/scenario_files.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "results/base/testing/source_file.h"

namespace overlane::runner::testing {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "overlane-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

Folder::~Folder() {
  std::filesystem::remove_all(path_);
}

std::string Folder::write(const std::string& name, const std::string& text) const {
  std::ofstream(path_ / name) << text;
  return (path_ / name).string();
}

std::string manifest(const std::string& name) {
  return source_file("topologies/library/manifests/") + name;
}

std::string scenario_of(const std::string& manifest_name) {
  return "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
         "  manifests: [" +
         manifest(manifest_name) + "]\n";
}

std::string scenario_on_ten_gigabit(const Folder& folder, const std::string& manifest_name) {
  folder.write("ten-gigabit.yaml",
               "apiVersion: overlane.dev/v1alpha1\nkind: Topology\nmetadata: {name: t}\n"
               "spec:\n  vpcs: [{name: v}]\n  shoots: [{vpc: v, machine: {cores: 4, nic: 10Gbit/s},"
               " manifest: " +
                   manifest(manifest_name) + "}]\n");
  return "apiVersion: overlane.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec:\n"
         "  topology: ten-gigabit.yaml\n";
}

model::RunReport run_or_fail(const Request& asked) {
  const auto prepared = prepare(asked);
  if (!prepared) throw std::runtime_error(prepared.error().findings.at(0).to_string());
  auto report = run(*prepared, asked);
  if (!report) throw std::runtime_error(report.error().findings.at(0).to_string());
  return *std::move(report);
}

}  // namespace overlane::runner::testing
