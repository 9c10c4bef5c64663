#include "bench/manifests/generate.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace overlane::bench {
namespace {

using nlohmann::json;

json worker(std::size_t number, std::size_t pool) {
  return {{"name", fmt::format("pool-{}", pool)},
          {"cri", {{"name", "containerd"}}},
          {"machine",
           {{"architecture", "amd64"},
            {"image", {{"name", "gardenlinux"}, {"version", "1592.9.0"}}},
            {"type", "m5.large"}}},
          {"maximum", 3 + number % 20},
          {"minimum", 1 + number % 3},
          {"maxSurge", 1},
          {"maxUnavailable", 0},
          {"systemComponents", {{"allow", true}}},
          {"volume", {{"size", "50Gi"}, {"type", "gp3"}}},
          {"zones", {"eu-central-1a", "eu-central-1b"}}};
}

json infrastructure() {
  json zones = json::array();
  for (const auto& [zone, third] : {std::pair{'a', 0}, {'b', 32}})
    zones.push_back({{"name", fmt::format("eu-central-1{}", zone)},
                     {"workers", fmt::format("10.250.{}.0/19", third)},
                     {"public", fmt::format("10.250.{}.0/22", 96 + third / 8)},
                     {"internal", fmt::format("10.250.{}.0/22", 112 + third / 8)}});
  return {{"apiVersion", "aws.provider.extensions.gardener.cloud/v1alpha1"},
          {"kind", "InfrastructureConfig"},
          {"networks", {{"vpc", {{"cidr", "10.250.0.0/16"}}}, {"zones", zones}}}};
}

json small_shoot(std::size_t number) {
  return {{"apiVersion", "core.gardener.cloud/v1beta1"},
          {"kind", "Shoot"},
          {"metadata",
           {{"name", fmt::format("shoot-{}", number)},
            {"namespace", fmt::format("garden-team-{}", number % 97)}}},
          {"spec",
           {{"cloudProfile", {{"name", "aws"}}},
            {"credentialsBindingName", "team-aws"},
            {"kubernetes", {{"version", "1.33.3"}}},
            {"maintenance", {{"timeWindow", {{"begin", "220000+0100"}, {"end", "230000+0100"}}}}},
            {"networking",
             {{"type", "calico"},
              {"nodes", "10.250.0.0/16"},
              {"pods", fmt::format("100.{}.0.0/16", 96 + number % 32)},
              {"services", "100.64.0.0/13"},
              {"providerConfig",
               {{"apiVersion", "calico.networking.extensions.gardener.cloud/v1alpha1"},
                {"kind", "NetworkConfig"},
                {"overlay", {{"enabled", number % 3 == 0}}}}}}},
            {"provider",
             {{"type", "aws"},
              {"infrastructureConfig", infrastructure()},
              {"workers", {worker(number, 0)}}}},
            {"purpose", "production"},
            {"region", "eu-central-1"}}}};
}

/// The managedFields entry (fieldsV1) for the fields in `value`, as an API server writes it.
json fields_of(const json& value) {
  json fields = json::object();
  if (value.is_object())
    for (const auto& [key, entry] : value.items())
      fields["f:" + key] = fields_of(entry);
  return fields;
}

json condition(std::string_view type, std::size_t number) {
  return {{"type", type},
          {"status", "True"},
          {"lastTransitionTime", fmt::format("2026-03-{:02}T10:21:33Z", 1 + number % 28)},
          {"lastUpdateTime", "2026-08-21T07:14:05Z"},
          {"reason", fmt::format("{}Succeeded", type)},
          {"message", fmt::format("All checks of {} have passed: nothing is wrong.", type)}};
}

json live_shoot(std::size_t number) {
  json shoot = small_shoot(number);
  for (std::size_t pool = 1; pool < 4; ++pool)
    shoot["spec"]["provider"]["workers"].push_back(worker(number, pool));
  json& status = shoot["status"];
  status = {{"clusterIdentity", fmt::format("shoot--team--shoot-{}-7f3c-landscape", number)},
            {"technicalID", fmt::format("shoot--team-{}--shoot-{}", number % 97, number)},
            {"hibernated", false},
            {"observedGeneration", 17},
            {"seedName", "aws-eu1"},
            {"gardener", {{"id", "a7c1"}, {"name", "gardenlet-0"}, {"version", "v1.140.2"}}},
            {"lastOperation",
             {{"description", "Shoot cluster has been successfully reconciled."},
              {"lastUpdateTime", "2026-08-21T07:14:05Z"},
              {"progress", 100},
              {"state", "Succeeded"},
              {"type", "Reconcile"}}}};
  for (const char* type :
       {"APIServerAvailable", "ControlPlaneHealthy", "ObservabilityComponentsHealthy",
        "EveryNodeReady", "SystemComponentsHealthy"})
    status["conditions"].push_back(condition(type, number));
  json& metadata = shoot["metadata"];
  metadata["annotations"] = {{"shoot.gardener.cloud/note", "made by a team, for a purpose: ours"}};
  metadata["generation"] = 17;
  metadata["uid"] = fmt::format("7b1c8f4e-0000-4000-8000-{:012}", number);
  metadata["resourceVersion"] = std::to_string(100'000 + number);
  json managed = json::array();
  for (const char* manager : {"gardener-apiserver", "gardenlet", "kubectl-client-side-apply"})
    managed.push_back(
        {{"apiVersion", "core.gardener.cloud/v1beta1"},
         {"fieldsType", "FieldsV1"},
         {"fieldsV1", {{"f:spec", fields_of(shoot["spec"])}, {"f:status", fields_of(status)}}},
         {"manager", manager},
         {"operation", "Update"},
         {"time", "2026-08-21T07:14:05Z"}});
  metadata["managedFields"] = managed;
  return shoot;
}

bool needs_quotes(const std::string& text) {
  return text.empty() || text.find_first_of(":#'\"{}[],&*!|>%@`") != std::string::npos ||
         text.find_first_not_of("0123456789.eE+-_") == std::string::npos || text == "true" ||
         text == "True";
}

std::string scalar(const json& value) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return needs_quotes(text) ? value.dump() : text;
}

/// Appends a mapping or list in block style, as kubectl does.
void append_yaml(const json& value, std::size_t indentation, std::string& text) {
  const std::string margin(indentation, ' ');
  const auto append_value = [&](const json& entry, std::size_t deeper) {
    if (entry.is_structured() && !entry.empty()) {
      text += '\n';
      append_yaml(entry, deeper, text);
    } else {
      text += ' ' + (entry.is_structured() ? entry.dump() : scalar(entry)) + '\n';
    }
  };
  if (value.is_object()) {
    for (const auto& [key, entry] : value.items()) {
      text += margin + (needs_quotes(key) ? json(key).dump() : key) + ':';
      append_value(entry, entry.is_array() ? indentation : indentation + 2);
    }
    return;
  }
  for (const json& item : value) {
    const std::size_t start = text.size();
    if (item.is_structured()) {
      append_yaml(item, indentation + 2, text);
      text[start + indentation] = '-';
    } else {
      text += margin + "- " + scalar(item) + '\n';
    }
  }
}

}  // namespace

std::string generate(Shape shape, Form form, std::size_t count) {
  std::string text;
  if (form == Form::YamlList) text = "apiVersion: v1\nitems:\n";
  if (form == Form::JsonList) text = "{\"apiVersion\":\"v1\",\"items\":[";
  for (std::size_t number = 0; number < count; ++number) {
    const json shoot = shape == Shape::Small ? small_shoot(number) : live_shoot(number);
    if (form == Form::YamlDocuments) {
      text += "---\n";
      append_yaml(shoot, 0, text);
    } else if (form == Form::YamlList) {
      append_yaml(json::array({shoot}), 0, text);
    } else {
      if (form == Form::JsonList && number > 0) text += ',';
      text += shoot.dump();
      if (form == Form::JsonLines) text += '\n';
    }
  }
  if (form == Form::YamlList) text += "kind: List\nmetadata:\n  resourceVersion: \"\"\n";
  if (form == Form::JsonList) text += "],\"kind\":\"List\",\"metadata\":{}}\n";
  return text;
}

}  // namespace overlane::bench
