#include "tools/overlane/inputs.h"

#include <utility>

#include "topologies/document/read.h"

namespace overlane::command {

document::Stream read_all(const std::vector<std::string>& paths) {
  document::Stream all;
  for (const std::string& path : paths) {
    Result<document::Stream> stream = document::read(path);
    if (stream) {
      all.append(std::move(*stream));
    } else {
      all.findings.push_back(std::move(stream.error()));
    }
  }
  return all;
}

}  // namespace overlane::command
