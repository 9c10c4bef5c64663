#include "scenarios/spec/scenario.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/spec/fabric.h"
#include "scenarios/spec/optional_fields.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::spec {

namespace {

using document::FieldKey;
using document::Fields;
using document::Value;

void decode_subject(Fields& spec, Scenario& scenario) {
  scenario.topology = spec.string(FieldKey("topology",
                                           "A Topology file, relative to this file, or the name of "
                                           "one of the library, such as aws-two-zones."));
  scenario.manifests =
      spec.strings(FieldKey("manifests", "Instead of a topology: files with Shoots or Networks.",
                            "A file or folder, relative to this file, or the name of a Shoot or "
                            "NetworkProvider of the library, such as shoot-aws."));
  scenario.shoot =
      spec.string(FieldKey("shoot", "namespace/name of the shoot, when there are several."))
          .value_or("");
  if (scenario.topology.has_value() == !scenario.manifests.empty()) {
    spec.problems().error(
        spec.value(), "no-subject", "a scenario runs on either a topology or manifests",
        "set spec.topology to a Topology file or spec.manifests to a list of files");
  }
}

std::optional<Family> decode_family(Fields& fields, const FieldKey& key) {
  const auto family = fields.one_of(key, {"ipv4", "ipv6"});
  if (!family) return std::nullopt;
  return *family == "ipv4" ? Family::Ipv4 : Family::Ipv6;
}

void decode_variants(Fields& spec, Scenario& scenario) {
  std::set<std::string> names;
  for (const Value item : spec.list(
           FieldKey("variants", "The modes in which to run the shoot. Without them, as written.",
                    "One way to run the shoot."))) {
    Fields fields(item, spec.problems());
    fields.required("name");
    VariantSpec variant{
        .name = fields.string(FieldKey("name", "The name in the results.")).value_or(""),
        .place = item.place()};
    const Value patch = fields.mapping(
        FieldKey("networkConfig", "A merge patch (RFC 7386) to the shoot's providerConfig."));
    if (patch) variant.network_config = document::Tree::of(patch);
    if (const auto version = fields.string(
            FieldKey("calicoVersion", "Calico's release for this variant, such as 3.33."))) {
      variant.calico = effective::CalicoVersion::parse(*version);
      if (!variant.calico) {
        spec.problems().error(item["calicoVersion"], "bad-value",
                              fmt::format("\"{}\" is no release of Calico", *version),
                              "write it like \"3.33\"");
      }
    }
    variant.kube_proxy = fields.one_of(
        FieldKey("kubeProxy", "kube-proxy's mode for this variant, or none to do without it."),
        {"IPTables", "IPVS", "NFTables", "none"});
    if (const auto encryption = fields.one_of(
            FieldKey("encryption", "Whether WireGuard encrypts between nodes in this variant."),
            {"none", "wireguard"}))
      variant.wireguard = *encryption == "wireguard";
    variant.family = decode_family(
        fields,
        FieldKey("family", "The IP family in which pods talk in this variant; else spec.family."));
    if (!variant.family) variant.family = scenario.family;
    variant.loss =
        decode_loss(fields.fields(
                        FieldKey("loss", "What the fabric loses in this variant; else spec.loss.")))
            .value_or(scenario.loss);
    variant.fabric =
        decode_fabric(fields,
                      FieldKey("pathMtu",
                               "What the paths between nodes carry where that is less than the "
                               "links' MTU; else what spec or the topology says."),
                      FieldKey("deny",
                               "What a packet filter between the nodes drops, by the outermost "
                               "header; else what spec or the topology says.",
                               "Packets that are dropped, whichever way they go."))
            .or_else(scenario.fabric);
    variant.mtu_probing = mtu_probing(
        fields,
        FieldKey(
            "mtuProbing",
            "net.ipv4.tcp_mtu_probing of all TCP in this variant, whatever the traffic says."));
    fields.no_others();
    if (item["name"] && !names.insert(variant.name).second) {
      spec.problems().error(item["name"], "duplicate-name",
                            fmt::format("variant \"{}\" is there twice", variant.name));
    }
    scenario.variants.push_back(std::move(variant));
  }
  if (scenario.variants.empty())
    scenario.variants.push_back({.name = "as-written",
                                 .family = scenario.family,
                                 .loss = scenario.loss,
                                 .fabric = scenario.fabric});

  scenario.baseline =
      spec.string(FieldKey("baseline",
                           "The variant that the others are compared with; the first by default."))
          .value_or(scenario.variants.front().name);
  if (std::ranges::find(scenario.variants, scenario.baseline, &VariantSpec::name) ==
      scenario.variants.end()) {
    spec.problems().error(spec.value()["baseline"], "unknown-variant",
                          fmt::format("baseline \"{}\" is no variant", scenario.baseline));
  }
}

/// "10ms", as a Scenario has it.
std::string time_text(Picos time) {
  constexpr std::pair<std::int64_t, std::string_view> kUnits[] = {
      {1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}};
  for (const auto& [picos, unit] : kUnits)
    if (time.count % picos == 0) return fmt::format("{}{}", time.count / picos, unit);
  return fmt::format("{}ps", time.count);
}

void decode_times(Fields& spec, Scenario& scenario) {
  const std::size_t faults = spec.problems().findings().size();
  scenario.duration = duration(spec, FieldKey("duration", "Simulated time; 100ms by default."))
                          .value_or(scenario.duration);
  const bool known = spec.problems().findings().size() == faults;
  const DurationOrAuto warm_up = duration_or_auto(
      spec, FieldKey("warmup",
                     "What is not counted at the beginning; a tenth by default. auto finds out, by "
                     "running everything twice, from when on the goodput is steady."));
  scenario.warm_up = warm_up.duration.value_or(scenario.duration / 10);
  scenario.warm_up_is_found = warm_up.automatic;
  const auto spread = duration(
      spec, FieldKey("startSpread",
                     "Flows start at random moments within this time, which is no longer than the "
                     "duration; 1ms by default, a tenth of a duration below 10ms."));
  scenario.start_spread = spread.value_or(std::min(scenario.start_spread, scenario.duration / 10));
  if (!known) return;  // Without a decoded list there is nothing to compare with.
  if (scenario.duration <= Picos{}) {
    spec.problems().error(spec.value()["duration"], "out-of-range", "the duration is zero");
  } else if (scenario.warm_up >= scenario.duration) {
    spec.problems().error(
        spec.value()["warmup"] ? spec.value()["warmup"] : spec.value()["duration"], "out-of-range",
        fmt::format("warmup, {}, takes the whole duration, {}", time_text(scenario.warm_up),
                    time_text(scenario.duration)),
        "make warmup shorter than duration");
  } else if (spread && *spread > scenario.duration) {
    spec.problems().error(spec.value()["startSpread"], "out-of-range",
                          "flows would start at random moments most of which lie behind the end",
                          "make startSpread no longer than duration");
  }
  scenario.repetitions =
      count_between(spec,
                    FieldKey("repetitions",
                             "How often each variant runs, each time with another seed; 1 by "
                             "default. Figures get their mean and a confidence interval."),
                    1, kMaxRepetitions)
          .value_or(1);
  if (const auto seed = integer_between(
          spec, FieldKey("seed", "Of every random stream; --seed wins."), 0, INT64_MAX)) {
    scenario.seed = static_cast<std::uint64_t>(*seed);
  }
  scenario.fast = spec.boolean(FieldKey("fast",
                                        "Whether to compute datagrams of constant rate without "
                                        "events while nothing changes, like --fast; false by "
                                        "default. The results are the same."))
                      .value_or(false);
}

}  // namespace

Scenario decode_scenario(Fields& root) {
  Scenario scenario;
  scenario.name = document::decode_header(root, "Scenario");
  scenario.place = root.value().place();
  scenario.file = scenario.place.file;
  root.required("spec");
  Fields spec = root.fields(FieldKey("spec", "What is run, and for how long."));
  root.no_others();
  if (!spec.value()) return scenario;  // A missing spec was already reported.
  decode_subject(spec, scenario);
  scenario.cost_profile =
      spec.string(FieldKey("costProfile",
                           "What CPU time costs: a CostProfile of the library, such as "
                           "linux-server, or a file. Without it CPU time is free."))
          .value_or("");
  scenario.family = decode_family(
      spec, FieldKey("family", "The IP family in which pods talk; by default the shoot's first."));
  scenario.loss = decode_loss(spec.fields(FieldKey(
                                  "loss", "What the fabric loses at random; nothing by default.")))
                      .value_or(fabric::Loss{});
  scenario.fabric = decode_fabric(spec,
                                  FieldKey("pathMtu",
                                           "What the paths between nodes carry where that is less "
                                           "than the links' MTU; else what the topology says."),
                                  FieldKey("deny",
                                           "What a packet filter between the nodes drops, by the "
                                           "outermost header; else what the topology says.",
                                           "Packets that are dropped, whichever way they go."));
  decode_variants(spec, scenario);
  scenario.migration = decode_migration(spec);
  scenario.traffic = decode_traffic(spec, !scenario.migration);
  scenario.concurrent =
      spec
          .boolean(FieldKey(
              "concurrent",
              "Whether all traffic runs at once (the default), or each group in a run of its own."))
          .value_or(true);
  decode_times(spec, scenario);
  scenario.events = decode_events(spec, scenario.duration);
  if (scenario.migration)
    for (const char* other : {"traffic", "events", "fast"})
      if (spec.value()[other])
        spec.problems().error(spec.value()[other], "not-in-a-migration",
                              fmt::format("a scenario with a migration has no {}: all pairs of "
                                          "nodes are probed",
                                          other),
                              fmt::format("remove {}", other));
  spec.no_others();
  return scenario;
}

Result<Scenario, Findings> decode_scenario(const document::Tree& tree) {
  return document::decode_whole(tree, &decode_scenario);
}

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string relative_to(const std::string& file, const std::string& path) {
  return path.starts_with('/') || path == "-" ? path : folder_of(file) + path;
}

}  // namespace overlane::spec
