#pragma once

#include <cstddef>

#include "results/answer/document.h"
#include "topologies/overlap/report/report.h"

// A report as a document of sections, from which text, Markdown and HTML are rendered, so that all
// formats have the same content.
namespace overlane::overlap {

struct OverlapDocumentOptions {
  std::size_t most_pairs = 5;  ///< Shown per group, and findings about documents per rule.
  bool only_summary = false;   ///< Networks and findings about documents are on pages only, folded.
};

/// A report as a document, from which text, Markdown and the page are rendered: the headline, the
/// request, errors by network and time, route tables; then the networks, the worst first, each
/// group of overlaps with its pairs, impact, example packet and action; the plan; findings about
/// documents, and the counts. A section on request has impact, packet and action of every pair of a
/// group, while other sections show only those of the first pair.
answer::Document overlap_document(const OverlapReport& report,
                                  const OverlapDocumentOptions& options);

}  // namespace overlane::overlap
