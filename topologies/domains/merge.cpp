#include "topologies/domains/merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"
#include "topologies/provider/profile.h"

namespace overlane::domains {

namespace {

using rules::Enforcer;
using rules::Rule;

/// The place of a declaration in a file that is merged with others.
struct At {
  const DeclarationFile* file = nullptr;
  std::string path;  ///< From its document's root: "spec.networks[1]".
  SourceLocation place;

  At inside(const std::string& more, const SourceLocation& where) const {
    return {file, path + more, where};
  }
};

/// Collects contradictions between files.
class Diagnostics {
 public:
  /// "SUBJECT HERE here and OTHERWISE at PLACE": `subject` begins the sentence.
  void add_contradiction(const At& at, std::string_view subject, std::string_view here,
                         std::string_view otherwise, const SourceLocation& there);
  /// No file declares that project; `known` are the declared ones.
  void add_unknown_project(const At& at, const std::string& project,
                           const std::vector<std::string_view>& known);

  Findings take() { return std::move(findings_); }

 private:
  void add(const At& at, Finding finding);

  Findings findings_;
};

/// All declared networks, each once, and reserved ranges.
class KnownNetworks {
 public:
  explicit KnownNetworks(Diagnostics& diagnostics) : diagnostics_(&diagnostics) {}

  void add(const DeclaredNetwork& network, const At& at);
  void reserve(const DeclaredRange& range, const At& at);

  std::vector<DeclaredNetwork> take_networks();
  std::vector<DeclaredRange> take_reserved() { return std::move(reserved_); }

 private:
  /// A network, and the places of its first declarations.
  struct Known {
    DeclaredNetwork network;
    SourceLocation project, route_quota, other_routes;
    std::map<std::string, std::pair<std::string, SourceLocation>>
        tables;  ///< Route tables by subnet.
  };
  using Key = std::tuple<std::string, std::string, std::string, std::string>;

  /// The known network; nullptr: new. `refused`: it may be either, which is an error.
  Known* find(const DeclaredNetwork& network, const At& at, bool& refused);
  void join(Known& known, const DeclaredNetwork& network, const At& at);
  void join_range(DeclaredNetwork& known, const DeclaredRange& range, const At& at);
  void join_table(Known& known, const DeclaredRouteTable& table, const At& at);

  Diagnostics* diagnostics_;
  std::vector<Known> known_;
  std::multimap<Key, std::size_t> by_name_;
  std::vector<DeclaredRange> reserved_;
  std::map<IpPrefix, SourceLocation> reserved_at_;
  std::map<IpPrefix, std::pair<std::string, SourceLocation>>
      used_by_;  ///< The first network with it.
};

constexpr Rule kRules[] = {
    {.id = "contradictory-domains",
     .section = "domains",
     .enforcer = Enforcer::Reader,
     .title = "RoutingDomains files contradict each other.",
     .why =
         "Whether two shoots share routes depends on it, and it is not known which of the two is "
         "correct. Equal repetitions are allowed.",
     .remedy = "correct one of the two places",
     .source = "topologies/domains"},
    {.id = "unknown-project",
     .section = "domains",
     .enforcer = Enforcer::Reader,
     .title = "A network of a RoutingDomains file is in an undeclared project.",
     .why = "A project declares its credentials; without them, no shoot is known to be in the "
            "project.",
     .remedy = "declare it under spec.projects, with its credentials",
     .source = "topologies/domains"},
};

void Diagnostics::add(const At& at, Finding finding) {
  finding.object = at.file->object;
  finding.message =
      document::one_line(fmt::format("{}: {}", finding.object.qualified(), finding.message));
  finding.path = at.file->path.empty() ? at.path : at.file->path + '.' + at.path;
  finding.place = at.place;
  finding.hint = document::one_line(finding.hint);
  findings_.push_back(std::move(finding));
}

void Diagnostics::add_contradiction(const At& at, std::string_view subject, std::string_view here,
                                    std::string_view otherwise, const SourceLocation& there) {
  add(at, {.rule = "contradictory-domains",
           .message =
               fmt::format("{} {} here and {} at {}", subject, here, otherwise, there.to_string()),
           .hint = "correct one of the two places"});
}

void Diagnostics::add_unknown_project(const At& at, const std::string& project,
                                      const std::vector<std::string_view>& known) {
  const std::string_view meant = document::closest(project, known);
  add(at, {.rule = "unknown-project",
           .message = fmt::format("project {} is not declared", project),
           .hint = meant.empty() ? "declare it under spec.projects, with its credentials"
                                 : fmt::format("did you mean {}?", meant)});
}

constexpr const char* kReserved = "reserved by the landscape";

void add_new(const DeclaredRange& range, std::vector<DeclaredRange>& ranges) {
  const bool is_known = std::ranges::any_of(ranges, [&](const DeclaredRange& one) {
    return one.cidr == range.cidr && one.purpose == range.purpose;
  });
  if (!is_known) ranges.push_back(range);
}

void add_subnets(const DeclaredRouteTable& table, std::vector<DeclaredRouteTable>& tables) {
  const auto known = std::ranges::find(tables, table.name, &DeclaredRouteTable::name);
  if (known == tables.end()) {
    tables.push_back(table);
    return;
  }
  std::vector<std::string> both;
  std::ranges::set_union(known->subnets, table.subnets, std::back_inserter(both));
  known->subnets = std::move(both);
}

/// An id is unique; a name is unique only within a project.
bool has_unique_id(const NetworkRef& ref) {
  return !ref.shoot.empty() || provider::profile_of(ref.provider).fabric.network_id_is_unique;
}

std::string without_project(NetworkRef ref) {
  ref.project.clear();
  return to_string(ref);
}

std::string project_of(const NetworkRef& ref) {
  return ref.project.empty() ? "no project" : "project " + ref.project;
}

/// Sets the first value; true: a different value was set before.
template <typename T>
bool differs(T& known, SourceLocation& known_at, const T& value, bool is_set,
             const SourceLocation& at) {
  if (!is_set) return false;
  if (known_at != SourceLocation()) return known != value;
  known = value;
  known_at = at;
  return false;
}

KnownNetworks::Known* KnownNetworks::find(const DeclaredNetwork& network, const At& at,
                                          bool& refused) {
  const NetworkRef& ref = network.ref;
  const auto [first, last] =
      by_name_.equal_range({ref.shoot, ref.provider, ref.resource_group, ref.network});
  for (auto one = first; one != last; ++one) {
    Known& known = known_[one->second];
    const NetworkRef& other = known.network.ref;
    if (has_unique_id(ref) || other.project == ref.project) return &known;
    if (!other.project.empty() && !ref.project.empty()) continue;
    refused = true;
    diagnostics_->add_contradiction(at, without_project(ref) + " is in", project_of(ref),
                                    project_of(other), known.network.place);
    return nullptr;
  }
  return nullptr;
}

void KnownNetworks::add(const DeclaredNetwork& network, const At& at) {
  bool refused = false;
  Known* known = find(network, at, refused);
  if (refused) return;
  if (known == nullptr) {
    const NetworkRef& ref = network.ref;
    by_name_.emplace(Key{ref.shoot, ref.provider, ref.resource_group, ref.network}, known_.size());
    known = &known_.emplace_back();
    known->network.ref = ref;
    known->network.place = network.place;
  }
  join(*known, network, at);
}

void KnownNetworks::join(Known& known, const DeclaredNetwork& network, const At& at) {
  DeclaredNetwork& one = known.network;
  const std::string name = without_project(one.ref);
  if (differs(one.ref.project, known.project, network.ref.project, !network.ref.project.empty(),
              at.place))
    diagnostics_->add_contradiction(at, name + " is in", project_of(network.ref),
                                    project_of(one.ref), known.project);
  if (differs(one.route_quota, known.route_quota, network.route_quota,
              network.route_quota.has_value(), at.place))
    diagnostics_->add_contradiction(at, name + " has routeQuota",
                                    std::to_string(*network.route_quota),
                                    std::to_string(*one.route_quota), known.route_quota);
  if (differs(one.other_routes, known.other_routes, network.other_routes, network.says_other_routes,
              at.place))
    diagnostics_->add_contradiction(at, name + " has otherRoutes",
                                    std::to_string(network.other_routes),
                                    std::to_string(one.other_routes), known.other_routes);
  one.says_other_routes = one.says_other_routes || network.says_other_routes;
  for (std::size_t i = 0; i < network.ranges.size(); ++i)
    join_range(one, network.ranges[i],
               at.inside(fmt::format(".ranges[{}].cidr", i), network.ranges[i].place));
  for (const DeclaredRange& route : network.foreign_routes)
    add_new(route, one.foreign_routes);
  for (std::size_t i = 0; i < network.route_tables.size(); ++i)
    join_table(known, network.route_tables[i],
               at.inside(fmt::format(".routeTables[{}]", i), network.route_tables[i].place));
}

void KnownNetworks::join_range(DeclaredNetwork& known, const DeclaredRange& range, const At& at) {
  const std::string use = "a range of " + to_string(known.ref);
  if (const auto reserved = reserved_at_.find(range.cidr); reserved != reserved_at_.end()) {
    diagnostics_->add_contradiction(at, range.cidr.to_string() + " is", use, kReserved,
                                    reserved->second);
    return;
  }
  used_by_.try_emplace(range.cidr, use, range.place);
  add_new(range, known.ranges);
}

void KnownNetworks::reserve(const DeclaredRange& range, const At& at) {
  if (const auto used = used_by_.find(range.cidr); used != used_by_.end()) {
    diagnostics_->add_contradiction(at, range.cidr.to_string() + " is", kReserved,
                                    used->second.first, used->second.second);
    return;
  }
  reserved_at_.try_emplace(range.cidr, range.place);
  add_new(range, reserved_);
}

void KnownNetworks::join_table(Known& known, const DeclaredRouteTable& table, const At& at) {
  DeclaredRouteTable sound = table;
  std::erase_if(sound.subnets, [&](const std::string& subnet) {
    const auto [first, is_new] = known.tables.try_emplace(subnet, table.name, table.place);
    if (is_new || first->second.first == table.name) return false;
    diagnostics_->add_contradiction(
        at, fmt::format("subnet {} of {} is in", subnet, to_string(known.network.ref)),
        "route table " + table.name, "route table " + first->second.first, first->second.second);
    return true;
  });
  add_subnets(sound, known.network.route_tables);
}

std::vector<DeclaredNetwork> KnownNetworks::take_networks() {
  std::vector<DeclaredNetwork> networks;
  for (Known& known : known_)
    networks.push_back(std::move(known.network));
  return networks;
}

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

std::span<const Rule> rules() {
  return kRules;
}

}  // namespace overlane::domains
