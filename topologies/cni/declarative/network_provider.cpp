#include "topologies/cni/declarative/network_provider.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "topologies/cni/profiles.h"
#include "topologies/document/fields/fields.h"

namespace overlane::declarative {
namespace {

using document::FieldKey;
using document::Fields;
using document::Value;
using effective::Backend;
using effective::Encapsulation;
using effective::Encryption;
using effective::Mode;
using effective::NodeAgent;
using effective::RoutesBy;

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

/// The values that a file may name, spelled as `explain` prints them.
constexpr std::array kModes = {Mode::Overlay, Mode::Routed};
constexpr std::array kEncapsulations = {Encapsulation::None, Encapsulation::Ipip,
                                        Encapsulation::Vxlan, Encapsulation::Geneve};
constexpr std::array kBackends = {Backend::Bird, Backend::Vxlan, Backend::None, Backend::Tunnel,
                                  Backend::Native};
constexpr std::array kRoutes = {
    RoutesBy::CloudRouteTable, RoutesBy::CloudInterface,   RoutesBy::Bgp, RoutesBy::Felix,
    RoutesBy::Cilium,          RoutesBy::DirectNodeRoutes, RoutesBy::None};
constexpr std::array kEncryptions = {Encryption::None, Encryption::WireGuard};
constexpr std::array kTypes = {Word<ConfigField::Type>{"string", ConfigField::Type::String},
                               Word<ConfigField::Type>{"boolean", ConfigField::Type::Boolean},
                               Word<ConfigField::Type>{"integer", ConfigField::Type::Integer},
                               Word<ConfigField::Type>{"block", ConfigField::Type::Block}};

constexpr std::array<std::string_view, 5> kFacts = {"overlay.enabled", "overlay.createPodRoutes",
                                                    "shoot.provider", "shoot.ipFamily",
                                                    "shoot.kubeProxy"};

template <typename E, std::size_t kCount>
std::optional<E> read(Fields& fields, const FieldKey& key,
                      const std::array<Word<E>, kCount>& words) {
  std::array<std::string_view, kCount> names;
  std::ranges::transform(words, names.begin(), &Word<E>::word);
  const auto word = fields.one_of(key, std::span<const std::string_view>(names));
  if (!word) return std::nullopt;
  return std::ranges::find(words, *word, &Word<E>::word)->value;
}

template <typename E, std::size_t kCount>
std::optional<E> read(Fields& fields, const FieldKey& key, const std::array<E, kCount>& values) {
  std::array<Word<E>, kCount> words;
  std::ranges::transform(values, words.begin(), [](E value) {
    return Word<E>{to_string(value), value};
  });
  return read(fields, key, words);
}

/// The text of a scalar of any type: conditions and values are compared as text.
std::string scalar_text(const Value& value, document::Problems& problems) {
  if (value.is(document::Kind::Scalar)) return std::string(value.text());
  problems.error(value, "wrong-type", fmt::format("{} must be a single value", value.path()));
  return "";
}

ConfigField decode_field(const Value& item, document::Problems& problems) {
  Fields fields(item, problems);
  ConfigField field;
  fields.required(FieldKey("path", "From the NetworkConfig's root, such as ipam.cidr."));
  field.path = fields.string("path").value_or("");
  field.type =
      read(fields, FieldKey("type", "What it holds; block: anything. string by default."), kTypes)
          .value_or(ConfigField::Type::String);
  for (Value value :
       fields.list(FieldKey("values", "The only values that are allowed.", "A value as written.")))
    field.values.push_back(scalar_text(value, problems));
  if (const Value value =
          fields.any(FieldKey("default", "What the extension takes when it is not given."))) {
    field.default_value = scalar_text(value, problems);
    const bool known = field.values.empty() ||
                       std::ranges::find(field.values, *field.default_value) != field.values.end();
    if (!known)
      problems.error(value, "bad-value", fmt::format("{} is not one of the values", value.path()));
  }
  fields.no_others();
  return field;
}

bool is_known(const std::string& name, const NetworkProvider& provider) {
  return std::ranges::find(kFacts, name) != kFacts.end() ||
         std::ranges::find(provider.fields, name, &ConfigField::path) != provider.fields.end();
}

/// Names that a condition may use, for "did you mean".
std::vector<std::string_view> condition_names(const NetworkProvider& provider) {
  std::vector<std::string_view> names(kFacts.begin(), kFacts.end());
  for (const ConfigField& field : provider.fields)
    names.push_back(field.path);
  return names;
}

std::vector<Condition> decode_conditions(const Value& when, const NetworkProvider& provider,
                                         document::Problems& problems) {
  std::vector<Condition> conditions;
  for (Value entry : when) {
    Condition condition{std::string(entry.key()), scalar_text(entry, problems)};
    if (!is_known(condition.field, provider))
      problems.key_error(
          entry, "unknown-condition",
          fmt::format("{} is neither a fact nor one of spec.fields", condition.field),
          document::did_you_mean(condition.field, condition_names(provider)));
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

/// Bytes that an encapsulation adds to an IPv4 packet if the file does not say so.
std::uint32_t usual_overhead(Encapsulation encapsulation) {
  switch (encapsulation) {
    case Encapsulation::None:
      return 0;
    case Encapsulation::Ipip:
      return 20;
    case Encapsulation::Vxlan:
    case Encapsulation::Geneve:
      return 50;
  }
  return 0;
}

bool has_tunnel(const cni::Profile& cni, Encapsulation encapsulation) {
  return encapsulation == Encapsulation::None ||
         std::ranges::find(cni.nodes->tunnels, encapsulation) != cni.nodes->tunnels.end();
}

/// "calico-node supports ipip and vxlan; …".
std::string supported_tunnels() {
  std::vector<std::string> agents;
  for (const cni::Profile* cni : cni::profiles()) {
    std::vector<std::string_view> tunnels;
    for (const Encapsulation encapsulation : cni->nodes->tunnels)
      tunnels.push_back(to_string(encapsulation));
    agents.push_back(fmt::format("{} supports {}", cni->agent_name, fmt::join(tunnels, " and ")));
  }
  return fmt::format("{}", fmt::join(agents, "; "));
}

/// The agent that the file names; calico-node if it names none.
NodeAgent read_agent(Fields& spec) {
  std::vector<std::string_view> names;
  for (const cni::Profile* cni : cni::profiles())
    names.push_back(cni->agent_name);
  const auto name = spec.one_of(FieldKey("nodeAgent", "Whose devices and routes a node gets."),
                                std::span<const std::string_view>(names));
  if (!name) return NodeAgent::CalicoNode;
  return (*std::ranges::find(cni::profiles(), *name, &cni::Profile::agent_name))->agent;
}

void decode_dataplane(Fields& fields, NodeAgent agent, ProviderRow& row,
                      document::Problems& problems) {
  fields.required(FieldKey("mode", "Through a tunnel between nodes, or routed."));
  row.mode = read(fields, "mode", kModes).value_or(Mode::Routed);
  const Value encapsulation =
      fields.any(FieldKey("encapsulation", "The tunnel's; none when routed."));
  row.encapsulation = read(fields, "encapsulation", kEncapsulations).value_or(Encapsulation::None);
  if ((row.mode == Mode::Overlay) != (row.encapsulation != Encapsulation::None))
    problems.error(encapsulation ? encapsulation : fields.value(), "bad-value",
                   "mode overlay needs an encapsulation, and mode routed must not have one");
  if (!has_tunnel(cni::profile_of(agent), row.encapsulation))
    problems.error(
        encapsulation, "bad-value",
        fmt::format("{}: spec.nodeAgent does not support this encapsulation", encapsulation.path()),
        supported_tunnels());
  row.cross_subnet =
      fields
          .boolean(
              FieldKey("crossSubnet", "Whether only packets to other subnets are encapsulated."))
          .value_or(false);
  row.backend =
      read(fields, FieldKey("backend", "What makes routes and tunnels on a node."), kBackends)
          .value_or(row.mode == Mode::Overlay ? Backend::Tunnel : Backend::Native);
  row.routes_by = read(fields,
                       FieldKey("routesBy",
                                "Who makes routes to pods of other nodes; without an overlay the "
                                "provider's own by default."),
                       kRoutes);
  if (row.mode == Mode::Overlay && !row.routes_by)
    problems.error(fields.value(), "missing-key", "mode overlay needs routesBy");
  row.encryption = read(fields, FieldKey("encryption", "Encryption between nodes."), kEncryptions)
                       .value_or(Encryption::None);
  const Value overhead =
      fields.any(FieldKey("overheadBytes", "What the encapsulation adds to an IP packet."));
  const auto bytes = fields.integer("overheadBytes");
  if (bytes && (*bytes < 0 || *bytes > 1000))
    problems.error(overhead, "out-of-range",
                   fmt::format("{} must lie between 0 and 1000", overhead.path()));
  row.overhead_bytes =
      bytes ? static_cast<std::uint32_t>(*bytes) : usual_overhead(row.encapsulation);
  fields.no_others();
}

ProviderRow decode_row(const Value& item, const NetworkProvider& provider,
                       document::Problems& problems) {
  Fields fields(item, problems);
  ProviderRow row;
  row.place = item.place();
  fields.required(FieldKey("name", "The row's name in explanations."));
  row.name = fields.string("name").value_or("");
  row.when = decode_conditions(
      fields.mapping(
          FieldKey("when",
                   "Conditions: a field of the NetworkConfig, or overlay.enabled, "
                   "overlay.createPodRoutes, shoot.provider, shoot.ipFamily, shoot.kubeProxy, "
                   "and the value it must have; what is not there is \"absent\".")),
      provider, problems);
  fields.required(FieldKey("dataplane", "What pods get."));
  Fields dataplane = fields.fields("dataplane");
  if (dataplane.value()) decode_dataplane(dataplane, provider.agent, row, problems);
  fields.required(FieldKey("because", "The reason that explanations give."));
  row.because = fields.string("because").value_or("");
  fields.no_others();
  return row;
}

}  // namespace

NetworkProvider decode_network_provider(Fields& root) {
  document::Problems& problems = root.problems();
  NetworkProvider provider;
  provider.place = root.value().place();
  provider.name = document::decode_header(root, kKind);
  root.required(FieldKey("spec", "What the network extension does with a shoot."));
  Fields spec = root.fields("spec");
  root.no_others();
  spec.required(FieldKey("type", "The networking.type that this file is about."));
  provider.type = spec.string("type").value_or("");
  provider.config_versions = spec.strings(
      FieldKey("configVersions", "The apiVersions of its NetworkConfig; another one is an error.",
               "group/version"));
  for (Value item :
       spec.list(FieldKey("fields",
                          "The fields of its NetworkConfig; others are errors. The block "
                          "overlay is always known.",
                          "A field of the NetworkConfig.")))
    provider.fields.push_back(decode_field(item, problems));
  provider.mtu_field =
      spec.string(FieldKey("mtuField",
                           "The field that sets the pods' MTU; without it, it is the "
                           "link's less the overhead."))
          .value_or("");
  if (!provider.mtu_field.empty() && std::ranges::find(provider.fields, provider.mtu_field,
                                                       &ConfigField::path) == provider.fields.end())
    problems.error(spec.any("mtuField"), "bad-value", "spec.mtuField is not one of spec.fields");
  provider.agent = read_agent(spec);
  provider.replaces_kube_proxy =
      spec.boolean(FieldKey("replacesKubeProxy",
                            "Whether it routes services when kube-proxy is "
                            "disabled; if not, such a shoot is refused."))
          .value_or(false);
  Fields masquerade =
      spec.fields(FieldKey("masquerade", "What pods' packets to addresses of no pod leave under."));
  provider.masquerades =
      masquerade
          .boolean(FieldKey("enabled", "Whether they take their node's address; true by default."))
          .value_or(true);
  provider.keeps_to_nodes =
      masquerade.boolean(FieldKey("exceptNodes", "But not towards nodes; false by default."))
          .value_or(false);
  masquerade.no_others();
  spec.required("rows");
  for (Value item : spec.list(FieldKey("rows", "The first row whose conditions all hold decides.",
                                       "What happens under some conditions.")))
    provider.rows.push_back(decode_row(item, provider, problems));
  spec.no_others();
  return provider;
}

Result<NetworkProvider, Findings> decode_network_provider(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_network_provider);
}

}  // namespace overlane::declarative
