#include "topologies/domains/declarations.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "results/base/text.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/fields/shape.h"
#include "topologies/document/tree/tree.h"
#include "topologies/effective/effective_dataplane.h"
#include "topologies/manifest/fields/located.h"
#include "topologies/provider/profile.h"
#include "topologies/ranges/sorting.h"

namespace overlane::domains {

bool same_network(const NetworkRef& a, const NetworkRef& b) {
  const auto key = [](const NetworkRef& ref) {
    return std::tie(ref.shoot, ref.provider, ref.network, ref.resource_group, ref.project);
  };
  return key(a) == key(b);
}

std::string to_string(const NetworkRef& ref) {
  if (!ref.shoot.empty()) return "the network of " + ref.shoot;
  std::string text = ref.provider + ' ';
  if (!ref.resource_group.empty()) text += ref.resource_group + '/';
  text += ref.network;
  if (!ref.project.empty()) text += " in " + ref.project;
  return text;
}

std::string_view to_string(ConnectionKind kind) {
  switch (kind) {
    case ConnectionKind::Peering:
      return "peering";
    case ConnectionKind::TransitGateway:
      return "transit-gateway";
    case ConnectionKind::Interconnect:
      return "interconnect";
    case ConnectionKind::Vpn:
      return "vpn";
  }
  return "";
}

std::map<std::string, std::string> projects_by_credentials(const Declarations& declarations) {
  std::map<std::string, std::string> projects;
  for (const Project& project : declarations.projects)
    for (const std::string& credentials : project.credentials)
      projects.emplace(credentials, project.name);
  return projects;
}

bool Declarations::empty() const {
  return projects.empty() && networks.empty() && connections.empty() && reserved.empty();
}

namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

constexpr const char* kNameShoot =
    "remove its projects, and name a network by one of its shoots, shoot: NAMESPACE/NAME";

bool has_resource_groups(const NetworkRef& ref) {
  return provider::profile_of(ref.provider).infrastructure.has_resource_groups;
}

/// A shoot identifies its network: no other key may name it too.
void check_alone(Fields& fields) {
  for (const char* key : {"provider", "network", "resourceGroup", "project"})
    if (const Value other = fields.value()[key]) {
      fields.problems().key_error(
          other, "bad-value",
          fmt::format("{} conflicts with shoot, which already names a network", other.path()),
          "keep either shoot, or provider and network");
      return;
    }
}

void check_named(Fields& fields, const NetworkRef& ref) {
  if (fields.value() && !fields.value()["provider"] && !fields.value()["network"]) {
    fields.problems().error(fields.value(), "missing-key",
                            fmt::format("{} does not name a network", fields.value().path()),
                            "give provider and network, or shoot: NAMESPACE/NAME");
    return;
  }
  fields.required("provider");
  fields.required("network");
  if (has_resource_groups(ref)) fields.required("resourceGroup");
  const Value group = fields.value()["resourceGroup"];
  if (group && !ref.provider.empty() && !has_resource_groups(ref))
    fields.problems().key_error(
        group, "bad-value",
        fmt::format("{}: networks of {} have no resource group", group.path(), ref.provider),
        "remove it");
}

std::string decode_provider(Fields& fields, std::string_view text) {
  const Value written = fields.any("provider");
  const provider::Profile& given = provider::profile_of(written.text());
  if (given.is_known() && !given.fabric.names_networks) {
    fields.problems().error(
        written, "bad-value",
        fmt::format("{}: manifests of {} do not name networks", written.path(), written.text()),
        kNameShoot);
    return "";
  }
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> names;
    for (const provider::Profile* profile : provider::profiles())
      if (profile->fabric.names_networks) names.push_back(profile->name);
    return names;
  }();
  return fields.one_of(FieldKey("provider", text), words).value_or("");
}

std::string decode_qualified(const Value& value, document::Problems& problems) {
  if (document::Shape* shape = problems.shape_of(value)) {
    shape->pattern = "^[^/]+/[^/]+$";
    shape->example = "garden-acme/main";
  }
  const auto text = document::read_string(value, problems);
  if (!text) return "";
  const std::size_t slash = text->find('/');
  if (slash != 0 && slash < text->size() - 1 && slash == text->rfind('/')) return *text;
  problems.error(value, "bad-value",
                 fmt::format("{}: \"{}\" is not a namespaced name", value.path(), *text),
                 "write NAMESPACE/NAME, such as garden-acme/main");
  return "";
}

NetworkRef decode_ref(Fields& fields) {
  const auto name = [&](const FieldKey& key) {
    return document::one_line(fields.string(key).value_or(""));
  };
  NetworkRef ref{
      .provider = decode_provider(fields, "The cloud; of others name a shoot."),
      .network =
          name(FieldKey("network",
                        "The VPC's id (aws, alicloud), the network's name (gcp), the vnet's name "
                        "(azure) or the router's id (openstack).")),
      .resource_group = name(FieldKey("resourceGroup", "azure: the vnet's resource group.")),
      .project = name(
          FieldKey("project",
                   "The project of spec.projects that it is in; names of gcp and azure are one "
                   "network's only within one.")),
      .shoot = decode_qualified(
          fields.any(FieldKey(
              "shoot", "Instead of all that: the network that this shoot is in, namespace/name.")),
          fields.problems()),
      .place = fields.value().place()};
  if (fields.value()["shoot"])
    check_alone(fields);
  else
    check_named(fields, ref);
  return ref;
}

/// More than any cloud allows per route table.
constexpr std::int64_t kMaxRoutes = 1'000'000;

constexpr std::array kKinds = {ConnectionKind::Peering, ConnectionKind::TransitGateway,
                               ConnectionKind::Interconnect, ConnectionKind::Vpn};

/// A required text, as one line.
std::string needed(Fields& fields, const FieldKey& key) {
  fields.required(key);
  return document::one_line(fields.string(key).value_or(""));
}

std::optional<std::int64_t> count(Fields& fields, const FieldKey& key, std::int64_t least) {
  const auto value = fields.integer(key);
  const Value entry = fields.value()[key.name];
  fields.only_between(entry, least, kMaxRoutes);
  if (!value || (*value >= least && *value <= kMaxRoutes)) return value;
  fields.problems().error(entry, "out-of-range",
                          fmt::format("{} is {}; it must be between {} and {}", entry.path(),
                                      *value, least, kMaxRoutes),
                          "give the number of routes of one table");
  return std::nullopt;
}

std::vector<DeclaredRange> decode_ranges(const Value& list, document::Problems& problems,
                                         const FieldKey& cidr_key, const FieldKey& purpose_key) {
  std::vector<DeclaredRange> ranges;
  for (const Value item : list) {
    Fields fields(item, problems);
    fields.required(cidr_key);
    const auto cidr = manifest::given_cidr(fields, cidr_key.name);
    const std::string purpose = document::one_line(fields.string(purpose_key).value_or(""));
    fields.no_others();
    if (cidr && cidr->value.length() == 0)
      problems.error(
          fields.value()[cidr_key.name], "bad-value",
          fmt::format("{}: {} contains every address", cidr->path, cidr->value.to_string()),
          "list the actual networks instead of the default route");
    else if (cidr)
      ranges.push_back({cidr->value, purpose, cidr->place});
  }
  return ranges;
}

std::vector<DeclaredRange> decode_ranges(const Value& list, document::Problems& problems) {
  return decode_ranges(list, problems,
                       FieldKey("cidr", "A network in CIDR notation, without host bits."),
                       FieldKey("purpose", "What it is, for messages."));
}

Project decode_project(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  Project project{
      .name = needed(fields, FieldKey("name", "A name of your own, for networks to refer to.")),
      .place = item.place()};
  fields.required("provider");
  project.provider = decode_provider(fields, "The cloud that it is of.");
  for (const Value binding : fields.list(
           FieldKey("credentials",
                    "The credentials bindings or secret bindings of shoots that lead into it.",
                    "namespace/name")))
    project.credentials.push_back(decode_qualified(binding, problems));
  ranges::sort_unique(project.credentials);
  fields.no_others();
  return project;
}

DeclaredRouteTable decode_table(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  DeclaredRouteTable table{
      .name = needed(fields, FieldKey("name", "Its id or name, for messages.")),
      .place = item.place()};
  const Value subnets = fields.required("subnets");
  table.subnets =
      fields.strings(FieldKey("subnets", "The subnets whose nodes it routes.",
                              "An id or name, as the shoot's infrastructureConfig gives it."));
  ranges::sort_unique(table.subnets);
  if (subnets.is(document::Kind::Sequence) && subnets.size() == 0)
    problems.error(subnets, "bad-value", fmt::format("{} is empty", subnets.path()),
                   "list the subnets that use this table");
  fields.no_others();
  return table;
}

void check_tables(Fields& fields, const DeclaredNetwork& network) {
  const bool has_tables = provider::profile_of(network.ref.provider).routes.table_per_subnet;
  if (network.route_tables.empty() || has_tables || network.ref.provider.empty()) return;
  const Value tables = fields.value()["routeTables"];
  fields.problems().key_error(tables, "bad-value",
                              fmt::format("{}: subnets of {} have no separate route tables",
                                          tables.path(), network.ref.provider),
                              "remove it: this network has one route table");
}

void check_room(Fields& fields, const DeclaredNetwork& network) {
  const auto foreign = static_cast<std::int64_t>(network.foreign_routes.size());
  if (!network.route_quota || network.other_routes + foreign <= *network.route_quota) return;
  const bool is_foreign = network.other_routes <= *network.route_quota;
  const Value others = fields.value()[is_foreign ? "foreignRoutes" : "otherRoutes"];
  if (is_foreign) {
    fields.problems().error(
        others, "out-of-range",
        fmt::format("{}: {} and otherRoutes {} are more than the routeQuota "
                    "of {}",
                    others.path(), counted(network.foreign_routes.size(), "route"),
                    network.other_routes, *network.route_quota),
        "list each route of one table once");
    return;
  }
  fields.problems().error(others, "out-of-range",
                          fmt::format("{} is {}, more than the routeQuota of {}", others.path(),
                                      network.other_routes, *network.route_quota),
                          "count only routes of one table that do not lead to nodes of shoots");
}

DeclaredNetwork decode_network(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  DeclaredNetwork network{.ref = decode_ref(fields), .place = item.place()};
  network.ranges = decode_ranges(
      fields.list(FieldKey(
          "ranges", "Its real ranges: primary and secondary CIDRs, subnets of others than shoots.",
          "A range.")),
      problems);
  network.route_quota = count(fields,
                              FieldKey("routeQuota",
                                       "How many routes one table, network or router may hold; the "
                                       "provider's usual number by default."),
                              1);
  const auto others =
      count(fields,
            FieldKey("otherRoutes",
                     "How many routes each table holds that lead to no shoot's node; the "
                     "provider's own by default."),
            0);
  network.says_other_routes = others.has_value();
  network.other_routes = others.value_or(0);
  network.foreign_routes = decode_ranges(
      fields.list(
          FieldKey("foreignRoutes",
                   "Those among its routes to no shoot's node whose destinations are known, beside "
                   "otherRoutes: they count against the quota, and overlap with ranges of shoots.",
                   "A route.")),
      problems, FieldKey("destination", "Its destination in CIDR notation, without host bits."),
      FieldKey("purpose", "Whose it is, for messages."));
  for (const Value table : fields.list(
           FieldKey("routeTables",
                    "aws, azure, alicloud: tables that route subnets that were brought along.",
                    "A route table.")))
    network.route_tables.push_back(decode_table(table, problems));
  fields.no_others();
  check_tables(fields, network);
  check_room(fields, network);
  return network;
}

void check_distinct(const Value& list, const Connection& connection, document::Problems& problems) {
  std::set<std::string> seen;
  for (const NetworkRef& ref : connection.networks) {
    if (ref.shoot.empty() && ref.network.empty()) continue;  // Reported elsewhere.
    if (const std::string name = to_string(ref); !seen.insert(name).second) {
      problems.error(list, "bad-value", fmt::format("{} names {} twice", list.path(), name),
                     "name each network once");
      return;
    }
  }
}

/// A connection joins two networks, or one and a place outside the cloud.
void check_ends(const Value& item, const Connection& connection, document::Problems& problems) {
  if (connection.networks.empty() ||
      (connection.networks.size() == 1 && connection.ranges.empty())) {
    problems.error(
        item, "bad-value",
        fmt::format("{} does not join anything: it needs two networks, or one network and ranges",
                    item.path()),
        "add the other end under networks or ranges");
  } else if (connection.kind == ConnectionKind::Peering && connection.networks.size() > 2) {
    problems.error(item["networks"], "bad-value",
                   fmt::format("{} has {} networks, but a peering joins two", item.path(),
                               connection.networks.size()),
                   "declare each pair of peered networks: peering is not transitive");
  }
}

Connection decode_connection(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  Connection connection{
      .name = needed(fields, FieldKey("name", "A name of your own, for messages.")),
      .place = item.place()};
  std::array<std::string_view, kKinds.size()> words;
  std::ranges::transform(kKinds, words.begin(), [](ConnectionKind one) { return to_string(one); });
  fields.required(
      FieldKey("kind", "What it is; a peering joins two networks and leads no further."));
  if (const auto word = fields.one_of("kind", words))
    connection.kind = *std::ranges::find(
        kKinds, *word, [](ConnectionKind one) { return std::string(to_string(one)); });
  connection.carries_pod_routes =
      fields
          .boolean(FieldKey("carriesPodRoutes",
                            "Whether routes to pods are announced over it; false by default."))
          .value_or(false);
  for (const Value network :
       fields.list(FieldKey("networks", "The networks at its ends.", "One of them."))) {
    Fields ref(network, problems);
    connection.networks.push_back(decode_ref(ref));
    ref.no_others();
  }
  check_distinct(item["networks"], connection, problems);
  connection.ranges = decode_ranges(
      fields.list(FieldKey("ranges", "What else is reached over it, such as on-premises networks.",
                           "A range.")),
      problems);
  fields.no_others();
  check_ends(item, connection, problems);
  return connection;
}

void add(const document::Tree& tree, std::vector<DeclarationFile>& files, Findings& findings) {
  if (auto file = decode(tree))
    files.push_back(*std::move(file));
  else
    findings.insert(findings.end(), file.error().begin(), file.error().end());
}

}  // namespace

Declarations decode(Fields& root) {
  document::Problems& problems = root.problems();
  document::decode_header(root, kKind);
  root.required(FieldKey("spec", "What is declared; what is left out is not known."));
  Fields spec = root.fields("spec");
  root.no_others();
  Declarations declared;
  for (const Value item :
       spec.list(FieldKey("projects", "Accounts, projects and subscriptions.", "One of them.")))
    declared.projects.push_back(decode_project(item, problems));
  for (const Value item :
       spec.list(FieldKey("networks", "Networks that shoots share, and what else is in them.",
                          "A network; in several files it counts as one.")))
    declared.networks.push_back(decode_network(item, problems));
  for (const Value item : spec.list(FieldKey(
           "connections", "What joins networks with each other, or with ranges beyond them.",
           "A connection.")))
    declared.connections.push_back(decode_connection(item, problems));
  declared.reserved = decode_ranges(
      spec.list(FieldKey("reserved", "Ranges that the landscape uses itself, in every network.",
                         "A range.")),
      problems);
  spec.no_others();
  return declared;
}

Result<DeclarationFile, Findings> decode(const document::Tree& tree) {
  auto declared = document::decode_whole(tree, static_cast<Declarations (*)(Fields&)>(&decode));
  if (!declared) return fail(declared.error());
  return DeclarationFile{document::object_of(tree), tree.root().path(), *std::move(declared)};
}

bool declares_domains(const document::Tree& tree) {
  const Value root = tree.root();
  return root["kind"].text() == kKind && document::is_own_api_version(root["apiVersion"].text());
}

void take_declarations(document::Stream& stream, std::vector<DeclarationFile>& taken) {
  for (const document::Tree& tree : stream.take_if(declares_domains))
    add(tree, taken, stream.findings);
}

Result<std::vector<DeclarationFile>, Findings> decode_all(const document::Stream& stream) {
  std::vector<DeclarationFile> files;
  Findings findings = stream.findings;
  for (const document::Tree& tree : stream.documents)
    add(tree, files, findings);
  if (any_at_or_above(findings, Severity::Error)) return fail(std::move(findings));
  return files;
}

}  // namespace overlane::domains
