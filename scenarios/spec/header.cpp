#include "scenarios/spec/header.h"

#include <fmt/format.h>

namespace overlane::spec {

ObjectName object_of(const document::Tree& tree) {
  const document::Value root = tree.root();
  return {.kind = std::string(root["kind"].text()),
          .name = std::string(root["metadata"]["name"].text())};
}

std::string decode_header(document::Fields& root, std::string_view kind) {
  const document::Value version = root.required("apiVersion");
  if (version && version.text() != kApiVersion) {
    root.problems().error(version, "unsupported-api-version",
                          fmt::format("apiVersion \"{}\" is not known", version.text()),
                          fmt::format("write {}", kApiVersion));
  }
  const document::Value written = root.required("kind");
  if (written && written.text() != kind) {
    root.problems().error(
        written, "unsupported-kind",
        fmt::format("kind \"{}\" stands where a {} is needed", written.text(), kind));
  }
  document::Fields metadata = root.fields("metadata");
  std::string name = metadata.string("name").value_or("");
  if (name.empty()) metadata.required("name");
  metadata.ignore({"labels", "annotations"});
  metadata.no_others();
  return name;
}

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string relative_to(const std::string& file, const std::string& path) {
  return path.starts_with('/') || path == "-" ? path : folder_of(file) + path;
}

}  // namespace overlane::spec
