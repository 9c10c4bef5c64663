#pragma once

#include <string>
#include <string_view>

#include "results/finding/finding.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

// The header of this project's own files: apiVersion overlane.dev/v1alpha1, kind and
// metadata.name. A file of another kind or version gets one finding that says so, instead of an
// error for each field.

/// The apiVersion of this project's own kinds (Scenario, Topology, NetworkProvider …).
inline constexpr std::string_view kApiVersion = "overlane.dev/v1alpha1";

/// Whether an apiVersion belongs to this project, of any release.
bool is_own_api_version(std::string_view api_version);
/// The hint for a document of one of this project's kinds that is not expected here; empty for
/// other kinds.
std::string_view hint_for_kind(std::string_view kind);
/// The kind of this project that is closest to a misspelt `kind`; empty if none is close.
std::string closest_own_kind(std::string_view kind);

/// The object that one of this project's files describes, for its findings.
ObjectName object_of(const Tree& tree);

/// All findings; for a document of another kind or apiVersion only the finding that says so.
Findings relevant_findings(const Findings& findings);

/// Decodes a whole document, or returns what is wrong with it.
template <typename T>
Result<T, Findings> decode_whole(const Tree& tree, T (*decode)(Fields& root)) {
  Problems problems(object_of(tree));
  Fields root(tree.root(), problems);
  T decoded = decode(root);
  if (problems.any_error()) return fail(relevant_findings(problems.findings()));
  return decoded;
}

/// Checks apiVersion and kind, and returns metadata.name (required). All of them count as known
/// keys.
std::string decode_header(Fields& root, std::string_view kind);

}  // namespace overlane::document
