#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/overlane/cli/options.h"
#include "topologies/overlap/remedy/free_ranges.h"
#include "topologies/overlap/report/overlap_document.h"

namespace overlane::command {

/// The options of `overlane overlap`.
struct OverlapOptions {
  struct Named {
    std::string name;
    std::vector<std::string> paths;
  };

  InputOptions input;
  OutputOptions output;
  std::vector<Named> landscapes;
  std::vector<std::string> with;                         ///< Paths of candidates.
  std::vector<std::string> domains;                      ///< RoutingDomains files.
  std::map<std::string, effective::Mode> assumed_modes;  ///< By shoot.
  std::string domain;  ///< Restricts the report to this domain; empty: all.
  bool notes = false;
  bool summary = false;
  bool details = false;  ///< Also impact, packet and action of every pair.
  std::size_t pairs =
      5;  ///< Per group, and findings about documents per rule; not in JSON and CSV.
  std::optional<overlap::Wanted> wanted;
  bool plan = false;
  std::string baseline;  ///< An earlier report; empty: none.
  std::string svg;       ///< Additional files to write; empty: none.
  std::string sarif;
  std::string junit;
  std::string html;

  bool asks_what_if() const { return !with.empty() || !assumed_modes.empty(); }
};

overlap::OverlapDocumentOptions document_options(const OverlapOptions& options);

void add_overlap_options(CLI::App& verb, OverlapOptions& options);

}  // namespace overlane::command
