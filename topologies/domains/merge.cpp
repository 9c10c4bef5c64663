#include "topologies/domains/merge.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "topologies/domains/diagnostics.h"
#include "topologies/domains/known_networks.h"

namespace overlane::domains {
namespace {

bool same_ends(std::vector<NetworkRef> a, std::vector<NetworkRef> b) {
  for (auto* ends : {&a, &b})
    std::ranges::sort(*ends, {}, [](const NetworkRef& ref) { return to_string(ref); });
  return std::ranges::equal(a, b, same_network);
}

bool same_ranges(std::vector<DeclaredRange> a, std::vector<DeclaredRange> b) {
  const auto key = [](const DeclaredRange& range) { return std::tie(range.cidr, range.purpose); };
  for (auto* ranges : {&a, &b})
    std::ranges::sort(*ranges, {}, key);
  return std::ranges::equal(a, b, {}, key, key);
}

class Merger {
 public:
  void add(const DeclarationFile& file);
  /// Call after the last file: projects and networks may be declared in different files.
  Merged finish();

 private:
  void add(const Project& project, const At& at);
  void add(const Connection& connection, const At& at);
  void note_project(const NetworkRef& ref, const At& at);
  void check_project(const NetworkRef& ref, const At& at);

  Diagnostics diagnostics_;
  KnownNetworks networks_{diagnostics_};
  std::vector<Project> projects_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::size_t> by_binding_;
  std::vector<Connection> connections_;
  std::map<std::string, std::size_t> connections_by_name_;
  std::vector<std::pair<NetworkRef, At>> in_projects_;
};

/// Calls take(thing, place) for each of `things`, the file's list `list`.
template <typename T, typename Take>
void each(const std::vector<T>& things, const DeclarationFile& file, std::string_view list,
          Take take) {
  for (std::size_t i = 0; i < things.size(); ++i)
    take(things[i], At{&file, fmt::format("spec.{}[{}]", list, i), things[i].place});
}

void Merger::add(const DeclarationFile& file) {
  const Declarations& declared = file.declared;
  each(declared.projects, file, "projects", [&](const auto& one, const At& at) { add(one, at); });
  each(declared.networks, file, "networks", [&](const auto& one, const At& at) {
    note_project(one.ref, at);
    networks_.add(one, at);
  });
  each(declared.connections, file, "connections",
       [&](const auto& one, const At& at) { add(one, at); });
  each(declared.reserved, file, "reserved", [&](const auto& one, const At& at) {
    networks_.reserve(one, at.inside(".cidr", one.place));
  });
}

void Merger::add(const Project& project, const At& at) {
  const std::string name = "project " + project.name;
  const auto [known, is_new] = by_name_.try_emplace(project.name, projects_.size());
  if (!is_new) {
    const Project& first = projects_[known->second];
    if (first.provider != project.provider)
      diagnostics_.add_contradiction(at, name + " has", "provider " + project.provider,
                                     "provider " + first.provider, first.place);
    else if (first.credentials != project.credentials)
      diagnostics_.add_contradiction(at, name + " has", "these credentials", "other credentials",
                                     first.place);
    return;
  }
  for (const std::string& binding : project.credentials) {
    const auto [owner, is_free] = by_binding_.try_emplace(binding, projects_.size());
    if (is_free) continue;
    const Project& other = projects_[owner->second];
    diagnostics_.add_contradiction(at, "credentials " + binding + " belong to", name,
                                   "project " + other.name, other.place);
  }
  projects_.push_back(project);
}

void Merger::add(const Connection& connection, const At& at) {
  for (std::size_t i = 0; i < connection.networks.size(); ++i)
    note_project(connection.networks[i],
                 at.inside(fmt::format(".networks[{}]", i), connection.networks[i].place));
  const auto [known, is_new] =
      connections_by_name_.try_emplace(connection.name, connections_.size());
  if (is_new) {
    connections_.push_back(connection);
    return;
  }
  const Connection& first = connections_[known->second];
  const auto differ = [&](const std::string& here, const std::string& there) {
    diagnostics_.add_contradiction(at, "connection " + connection.name + " has", here, there,
                                   first.place);
  };
  const auto kind = [](const Connection& one) {
    return fmt::format("kind {}", to_string(one.kind));
  };
  const auto carries = [](const Connection& one) {
    return fmt::format("carriesPodRoutes {}", one.carries_pod_routes);
  };
  if (connection.kind != first.kind)
    differ(kind(connection), kind(first));
  else if (connection.carries_pod_routes != first.carries_pod_routes)
    differ(carries(connection), carries(first));
  else if (!same_ends(connection.networks, first.networks))
    differ("these networks", "other networks");
  else if (!same_ranges(connection.ranges, first.ranges))
    differ("these ranges", "other ranges");
}

void Merger::note_project(const NetworkRef& ref, const At& at) {
  if (!ref.project.empty()) in_projects_.emplace_back(ref, at);
}

void Merger::check_project(const NetworkRef& ref, const At& at) {
  const auto known = by_name_.find(ref.project);
  if (known == by_name_.end()) {
    std::vector<std::string_view> names;
    for (const Project& project : projects_)
      names.push_back(project.name);
    diagnostics_.add_unknown_project(at.inside(".project", at.place), ref.project, names);
    return;
  }
  const Project& project = projects_[known->second];
  if (project.provider != ref.provider)
    diagnostics_.add_contradiction(at, "project " + ref.project + " has",
                                   fmt::format("the network {} {}", ref.provider, ref.network),
                                   "provider " + project.provider, project.place);
}

Merged Merger::finish() {
  for (const auto& [ref, at] : in_projects_)
    check_project(ref, at);
  return {.declarations = {.projects = std::move(projects_),
                           .networks = networks_.take_networks(),
                           .connections = std::move(connections_),
                           .reserved = networks_.take_reserved()},
          .findings = diagnostics_.take()};
}

}  // namespace

Merged merge(const std::vector<DeclarationFile>& files) {
  Merger merger;
  for (const DeclarationFile& file : files)
    merger.add(file);
  return merger.finish();
}

Findings judge(const document::Stream& stream) {
  document::Stream rest{.documents = stream.documents, .findings = {}};
  std::vector<DeclarationFile> files;
  take_declarations(rest, files);
  const Findings together = merge(files).findings;
  rest.findings.insert(rest.findings.end(), together.begin(), together.end());
  return rest.findings;
}

}  // namespace overlane::domains
