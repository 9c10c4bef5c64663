#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/overlane/mcp/json_rpc.h"

// Documents that a client may read besides calling tools: the JSON Schemas of files, the rules of
// `check`, and the library files that are linked into the program, which show the names that tools
// accept instead of paths. Immutable; any thread may read them.
namespace overlane::mcp {

struct Resource {
  std::string uri;
  std::string name;
  std::string description;
  std::string media_type;
  std::function<std::string()> text;
};

class Resources {
 public:
  /// The resources of this program.
  Resources();

  /// The results of resources/list and resources/templates/list.
  Json list() const;
  Json list_templates() const;
  /// The result of resources/read.
  Answer<Json> read(const Json& params) const;

 private:
  std::vector<Resource> resources_;
};

}  // namespace overlane::mcp
