#include "scenarios/spec/paths.h"

namespace overlane::spec {

std::string folder_of(const std::string& file) {
  const auto slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string relative_to(const std::string& file, const std::string& path) {
  return path.starts_with('/') || path == "-" ? path : folder_of(file) + path;
}

}  // namespace overlane::spec
