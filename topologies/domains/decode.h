#pragma once

#include <string>
#include <vector>

#include "results/finding/result.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/domains/declarations.h"

namespace overlane::domains {

/// What one document declares.
struct DeclarationFile {
  ObjectName object;
  std::string path;  ///< Of its root: "" or, in a list, "items[3]".
  Declarations declared;
};

/// Decodes a document of kind RoutingDomains strictly: each thing by itself. `merge` holds them
/// against each other.
Result<DeclarationFile, Findings> decode(const document::Tree& tree);
/// The same, straight through: the findings go to the fields' Problems.
Declarations decode(document::Fields& root);

/// Whether it is a document of kind RoutingDomains.
bool declares_domains(const document::Tree& tree);
/// Takes the documents of kind RoutingDomains out of the stream and adds what they declare. What is
/// wrong with one is a finding of the stream, and that one declares nothing.
void take_declarations(document::Stream& stream, std::vector<DeclarationFile>& taken);

/// What a file holds that was named as one of RoutingDomains: a document of another kind is an
/// error.
Result<std::vector<DeclarationFile>, Findings> decode_all(const document::Stream& stream);

}  // namespace overlane::domains
