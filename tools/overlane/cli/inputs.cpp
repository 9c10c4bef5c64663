#include "tools/overlane/cli/inputs.h"

#include <utility>

#include "topologies/library/library.h"

namespace overlane::command {

document::Stream read_all(const std::vector<std::string>& paths, unsigned threads,
                          StepsLine* line) {
  constexpr std::uint64_t kMegabyte = 1'000'000;
  const auto show = [line](std::uint64_t bytes, std::uint64_t of) {
    if (line != nullptr) line->advance(bytes / kMegabyte, of / kMegabyte);
  };
  document::Stream all;
  bool input_read = false;
  for (const std::string& path : paths) {
    if (path == "-" && std::exchange(input_read, true)) {
      all.findings.push_back({.rule = "unreadable-file",
                              .message = "standard input is given twice and can be read once",
                              .place = {"<stdin>", 0, 0},
                              .hint = "give - once"});
      continue;
    }
    if (line != nullptr) line->begin("reading", "MB");
    Result<document::Stream> stream = topology_library::read_manifests(path, threads, show);
    if (stream) {
      all.append(std::move(*stream));
    } else {
      all.findings.push_back(std::move(stream.error()));
    }
  }
  return all;
}

}  // namespace overlane::command
