#include "topologies/document/fields/header.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "topologies/document/fields/spelling.h"

namespace overlane::document {
namespace {

constexpr const char* kOtherVersion = "unsupported-api-version";
constexpr const char* kOtherKind = "unsupported-kind";

struct OwnKind {
  std::string_view kind;
  std::string_view use;
};

constexpr std::array kOwnKinds = {
    OwnKind{"Scenario", "`overlane run FILE` runs it, by itself"},
    OwnKind{"MigrationStrategy", "`overlane migrate --strategy FILE` reads it"},
    OwnKind{"Topology", "run a Scenario that names it"},
    OwnKind{"CostProfile", "run a Scenario that names it"},
    OwnKind{"MeasurementTable", "`overlane calibrate --table FILE` reads it"},
    OwnKind{"NetworkProvider", "give it beside the manifests of its shoots"},
    OwnKind{"RoutingDomains", "`overlane overlap --domains FILE` reads it"},
    OwnKind{"Suite", "`overlane bench FILE` runs it"},
};

}  // namespace

bool is_own_api_version(std::string_view api_version) {
  return api_version.starts_with("overlane.dev/");
}

std::string_view hint_for_kind(std::string_view kind) {
  const auto* const row = std::ranges::find(kOwnKinds, kind, &OwnKind::kind);
  return row == kOwnKinds.end() ? "" : row->use;
}

std::string closest_own_kind(std::string_view kind) {
  std::array<std::string_view, kOwnKinds.size()> kinds;
  std::ranges::transform(kOwnKinds, kinds.begin(), &OwnKind::kind);
  return did_you_mean(kind, kinds);
}

ObjectName object_of(const Tree& tree) {
  const Value root = tree.root();
  return {.kind = std::string(root["kind"].text()),
          .name = std::string(root["metadata"]["name"].text())};
}

Findings relevant_findings(const Findings& findings) {
  Findings about_kind;
  std::ranges::copy_if(findings, std::back_inserter(about_kind), [](const Finding& finding) {
    return finding.rule == kOtherVersion || finding.rule == kOtherKind;
  });
  return about_kind.empty() ? findings : about_kind;
}

std::string decode_header(Fields& root, std::string_view kind) {
  const Value version = root.required(FieldKey("apiVersion", "The release of this file's format."));
  if (version && version.text() != kApiVersion) {
    root.problems().error(version, kOtherVersion,
                          fmt::format("apiVersion \"{}\" is not known", version.text()),
                          fmt::format("write {}", kApiVersion));
  }
  const Value written = root.required(FieldKey("kind", "What the file holds."));
  if (written && written.text() != kind) {
    root.problems().error(
        written, kOtherKind,
        fmt::format("kind \"{}\" stands where a {} is needed", written.text(), kind));
  }
  root.only_words(version, {kApiVersion});
  root.only_words(written, {kind});
  Fields metadata = root.fields(FieldKey("metadata", "What the file is called."));
  metadata.required(FieldKey("name", "The name in results and messages."));
  std::string name = metadata.string("name").value_or("");
  metadata.any(FieldKey("labels", "For your own use."));
  metadata.any(FieldKey("annotations", "For your own use."));
  metadata.no_others();
  return name;
}

}  // namespace overlane::document
