#pragma once

#include <cstddef>

#include "results/answer/document.h"
#include "topologies/overlap/report/report.h"

// A report as a document of sections, from which text, Markdown and HTML are rendered, so that all
// formats have the same content.
namespace overlane::overlap {

struct OverlapDocumentOptions {
  std::size_t most_pairs = 5;  ///< Maximum number shown, of pairs per group and of findings about
                               ///< documents per rule.
  bool only_summary = false;   ///< Networks and findings about documents appear on pages only,
                               ///< folded.
};

/// A report as a document, from which text, Markdown and the page are rendered: the headline, the
/// request, errors by network and time, route tables; then the networks, the worst first, each
/// group of overlaps with its pairs, impact, example packet and action; the plan; findings about
/// documents, and the counts. Impact, packet and action are those of the first pair of a group; a
/// section on request shows them for every pair.
answer::Document overlap_document(const OverlapReport& report,
                                  const OverlapDocumentOptions& options);

}  // namespace overlane::overlap
