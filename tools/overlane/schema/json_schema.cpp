#include "tools/overlane/schema/json_schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/suite/suite.h"
#include "results/base/interned.h"
#include "results/model/run_report_json.h"
#include "scenarios/calibrate/measurement_table.h"
#include "scenarios/spec/cost_profile.h"
#include "scenarios/spec/scenario.h"
#include "scenarios/spec/topology_file.h"
#include "topologies/cni/declarative/network_provider.h"
#include "topologies/cni/profiles.h"
#include "topologies/document/fields/shape.h"
#include "topologies/domains/declarations.h"

namespace overlane::command {

namespace {

using document::Fields;

/// Decodes a document only to record its shape.
template <auto decode>
void read(Fields& root) {
  static_cast<void>(decode(root));
}

constexpr auto kScenario = static_cast<spec::Scenario (*)(Fields&)>(&spec::decode_scenario);
constexpr auto kMigrationStrategy =
    static_cast<spec::MigrationStrategy (*)(Fields&)>(&spec::decode_migration_strategy);
constexpr auto kTopology = static_cast<spec::TopologyFile (*)(Fields&)>(&spec::decode_topology);
constexpr auto kCostProfile =
    static_cast<spec::CostProfileFile (*)(Fields&)>(&spec::decode_cost_profile_file);
constexpr auto kMeasurementTable =
    static_cast<calibrate::MeasurementTable (*)(Fields&)>(&calibrate::decode_table);
constexpr auto kNetworkProvider =
    static_cast<declarative::NetworkProvider (*)(Fields&)>(&declarative::decode_network_provider);
constexpr auto kRoutingDomains = static_cast<domains::Declarations (*)(Fields&)>(&domains::decode);

/// Removes the first key from a path and returns it.
std::string_view next_key(std::string_view& path) {
  const std::size_t end = std::min(path.find('.'), path.size());
  const std::string_view key = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return key;
}

bool matches(std::string_view pattern, std::string_view path) {
  while (!pattern.empty() && !path.empty()) {
    const std::string_view wanted = next_key(pattern);
    if (const std::string_view key = next_key(path); wanted != "*" && wanted != key) return false;
  }
  return pattern.empty() && path.empty();
}

std::string_view find_text(std::span<const FieldText> texts, std::string_view path) {
  const auto found =
      std::ranges::find_if(texts, [&](const FieldText& text) { return matches(text.path, path); });
  return found == texts.end() ? "" : found->text;
}

// Descriptions of fields that one decoder reads in two kinds of files with different meanings.
constexpr std::array kTopologyTexts = {
    FieldText{"spec.vpcs[].foreignRoutes[].destination", "Its destination, a CIDR."},
    FieldText{"spec.shoots[].machine.bandwidth",
              "What the cloud lets an instance send, and receive, in the long run."},
    FieldText{"spec.shoots[].machine.bandwidth.baseline", "The rate."},
    FieldText{"spec.shoots[].machine.bandwidth.burst",
              "How long it may go at the NIC's rate first; 0 by default."},
    FieldText{"spec.shoots[].machine.packets",
              "How many packets the cloud lets it send, and receive."},
    FieldText{"spec.shoots[].machine.packets.perSecond", "In the long run."},
    FieldText{"spec.shoots[].machine.packets.burst", "At once; 1 by default."},
};
constexpr std::array kMeasurementTableTexts = {
    FieldText{"spec.hosts.machine.bandwidth",
              "An allowance of a cloud: not calibrated, so not allowed here."},
    FieldText{"spec.hosts.machine.bandwidth.baseline", "Not allowed here."},
    FieldText{"spec.hosts.machine.bandwidth.burst", "Not allowed here."},
    FieldText{"spec.hosts.machine.packets", "The same."},
    FieldText{"spec.hosts.machine.packets.perSecond", "Not allowed here."},
    FieldText{"spec.hosts.machine.packets.burst", "Not allowed here."},
};

std::vector<FileKind> own_kinds() {
  return {
      FileKind{"scenario", "what `overlane run` runs", &read<kScenario>, {}},
      FileKind{"migration-strategy",
               "an order of steps that `overlane migrate` simulates",
               &read<kMigrationStrategy>,
               {}},
      FileKind{"topology", "the VPC and the shoot that a scenario runs on", &read<kTopology>,
               kTopologyTexts},
      FileKind{"cost-profile", "what a node's CPU pays for a packet", &read<kCostProfile>, {}},
      FileKind{"measurement-table", "published measurements that a cost profile is fitted to",
               &read<kMeasurementTable>, kMeasurementTableTexts},
      FileKind{"network-provider",
               "a network extension that is described instead of programmed",
               &read<kNetworkProvider>,
               {}},
      FileKind{"routing-domains",
               "what manifests cannot show about who shares routes with whom",
               &read<kRoutingDomains>,
               {}},
      FileKind{"suite", "what `overlane bench` runs and measures", &read<suite::decode_suite>, {}},
  };
}

FileKind network_config_kind(const cni::Profile& cni) {
  return {Interned(fmt::format("{}-network-config", cni.type())).str(),
          Interned(fmt::format("the providerConfig of networking type {}", cni.type())).str(),
          cni.decode_config,
          {}};
}

}  // namespace

std::string_view FileKind::text_of(std::string_view path, const document::Shape& shape) const {
  return shape.text.empty() ? find_text(texts, path) : shape.text;
}

std::span<const FileKind> file_kinds() {
  static const std::vector<FileKind> kinds = [] {
    std::vector<FileKind> all = own_kinds();
    for (const cni::Profile* cni : cni::profiles())
      all.push_back(network_config_kind(*cni));
    return all;
  }();
  return kinds;
}

namespace {

using SchemaShape = document::Shape;
using OrderedJson = nlohmann::ordered_json;
using Type = SchemaShape::Type;

const char* type_name(Type type) {
  switch (type) {
    case Type::String:
      return "string";
    case Type::Boolean:
      return "boolean";
    case Type::Integer:
      return "integer";
    case Type::Number:
      return "number";
    case Type::List:
      return "array";
    case Type::Mapping:
      return "object";
    case Type::Any:
      break;
  }
  return nullptr;
}

/// Writes the schema of a field and of everything below it.
class Writer {
 public:
  explicit Writer(const FileKind& kind) : kind_(&kind) {}

  OrderedJson write(const SchemaShape& shape, const std::string& path) const {
    OrderedJson json = OrderedJson::object();
    if (const std::string_view text = kind_->text_of(path, shape); !text.empty())
      json["description"] = text;
    if (const char* type = type_name(shape.type)) json["type"] = type;
    if (shape.words.size() == 1) json["const"] = shape.words.front();
    if (shape.words.size() > 1) json["enum"] = shape.words;
    if (!shape.pattern.empty()) json["pattern"] = shape.pattern;
    if (!shape.example.empty()) json["examples"] = {shape.example};
    if (shape.min) json["minimum"] = *shape.min;
    if (shape.max) json["maximum"] = *shape.max;
    if (shape.deprecated) json["deprecated"] = true;
    if (shape.item) json["items"] = write(*shape.item, path + "[]");
    if (shape.type == Type::Mapping) add_entries(shape, path, json);
    return json;
  }

 private:
  void add_entries(const SchemaShape& shape, const std::string& path, OrderedJson& json) const {
    OrderedJson properties = OrderedJson::object();
    OrderedJson required = OrderedJson::array();
    for (const auto& [key, entry] : shape.entries) {
      if (entry.removed) continue;
      properties[key] = write(entry, path.empty() ? key : path + "." + key);
      if (entry.required.is_always) required.push_back(key);
    }
    if (!properties.empty()) json["properties"] = std::move(properties);
    if (!required.empty()) json["required"] = std::move(required);
    if (shape.closed) json["additionalProperties"] = false;
    add_conditions(shape, json);
  }

  /// Adds conditions that depend on the value of another field.
  static void add_conditions(const SchemaShape& shape, OrderedJson& json) {
    std::map<SchemaShape::When, std::pair<OrderedJson, OrderedJson>>
        conditions;  // Conditional requirements and prohibitions of fields.
    for (const auto& [key, entry] : shape.entries) {
      if (entry.required.is_conditional()) conditions[entry.required].first.push_back(key);
      if (entry.asked.is_conditional()) conditions[entry.asked].second[key] = false;
    }
    for (auto& [when, parts] : conditions) {
      OrderedJson condition{{"if", {{"properties", {{when.key, {{"enum", when.words}}}}}}}};
      if (!parts.first.empty()) condition["then"]["required"] = std::move(parts.first);
      if (!parts.second.empty()) condition["else"]["properties"] = std::move(parts.second);
      json["allOf"].push_back(std::move(condition));
    }
  }

  const FileKind* kind_;
};

OrderedJson with_title(std::string_view title, const OrderedJson& schema) {
  OrderedJson json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"$id", fmt::format("https://{}/{}.json", document::kApiVersion, title)},
                   {"title", title}};
  json.update(schema);
  return json;
}

}  // namespace

OrderedJson json_schema(const FileKind& kind) {
  return with_title(kind.name, Writer(kind).write(document::explore(kind.decode), ""));
}

std::span<const SchemaKind> schema_kinds() {
  static const std::vector<SchemaKind> kinds = [] {
    std::vector<SchemaKind> all;
    for (const FileKind& kind : file_kinds())
      all.push_back({kind.name, kind.about, [&kind] { return json_schema(kind); }});
    constexpr std::string_view kRunReport = "run-report";
    all.push_back({kRunReport, "what `overlane run -o json` prints",
                   [] { return with_title(kRunReport, model::run_report_schema()); }});
    return all;
  }();
  return kinds;
}

}  // namespace overlane::command
