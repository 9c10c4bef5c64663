#pragma once

#include <string>
#include <vector>

#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/declarations.h"

// Decodes documents of kind RoutingDomains strictly: an unknown key, a missing key or an invalid
// value is an error with its place. Whether several files agree is checked by merge.h.
namespace overlane::domains {

/// The declarations of one document.
struct DeclarationFile {
  ObjectName object;
  std::string path;  ///< The path of the document's root: "" or, in a list, "items[3]".
  Declarations declared;
};

/// Decodes a document of kind RoutingDomains strictly. merge() checks it against others.
Result<DeclarationFile, Findings> decode(const document::Tree& tree);
/// Decodes the fields of such a document; findings go to the fields' Problems.
Declarations decode(document::Fields& root);

/// Whether the document is of kind RoutingDomains.
bool declares_domains(const document::Tree& tree);
/// Moves the documents of kind RoutingDomains from the stream to `taken`. An invalid one is a
/// finding of the stream and declares nothing.
void take_declarations(document::Stream& stream, std::vector<DeclarationFile>& taken);

/// Decodes a file of RoutingDomains documents: a document of another kind is an error.
Result<std::vector<DeclarationFile>, Findings> decode_all(const document::Stream& stream);

}  // namespace overlane::domains
