#include "topologies/document/header.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace overlane::document {
namespace {

constexpr const char* kOtherVersion = "unsupported-api-version";
constexpr const char* kOtherKind = "unsupported-kind";

}  // namespace

ObjectName object_of(const Tree& tree) {
  const Value root = tree.root();
  return {.kind = std::string(root["kind"].text()),
          .name = std::string(root["metadata"]["name"].text())};
}

Findings worth_saying(const Findings& findings) {
  Findings about_kind;
  std::ranges::copy_if(findings, std::back_inserter(about_kind), [](const Finding& finding) {
    return finding.rule == kOtherVersion || finding.rule == kOtherKind;
  });
  return about_kind.empty() ? findings : about_kind;
}

std::string decode_header(Fields& root, std::string_view kind) {
  const Value version = root.required("apiVersion");
  if (version && version.text() != kApiVersion) {
    root.problems().error(version, kOtherVersion,
                          fmt::format("apiVersion \"{}\" is not known", version.text()),
                          fmt::format("write {}", kApiVersion));
  }
  const Value written = root.required("kind");
  if (written && written.text() != kind) {
    root.problems().error(
        written, kOtherKind,
        fmt::format("kind \"{}\" stands where a {} is needed", written.text(), kind));
  }
  root.only_words(version, {kApiVersion});
  root.only_words(written, {kind});
  Fields metadata = root.fields("metadata");
  metadata.required("name");
  std::string name = metadata.string("name").value_or("");
  metadata.ignore({"labels", "annotations"});
  metadata.no_others();
  return name;
}

}  // namespace overlane::document
