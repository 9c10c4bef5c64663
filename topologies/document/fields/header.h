#pragma once

#include <string>
#include <string_view>

#include "results/finding/result.h"
#include "topologies/document/fields/fields.h"
#include "topologies/document/tree/tree.h"

namespace overlane::document {

/// The apiVersion of this project's own kinds (Scenario, Topology, NetworkProvider …).
inline constexpr std::string_view kApiVersion = "overlane.dev/v1alpha1";

/// Whether an apiVersion is this project's, of any release.
bool is_own(std::string_view api_version);
/// What to do with a document of one of this project's kinds where it is not read; empty for a kind
/// that is none of them.
std::string_view use_of(std::string_view kind);
/// Which of them may be meant by a kind that is none.
std::string meant_own_kind(std::string_view kind);

/// The object a file of ours describes, for its findings.
ObjectName object_of(const Tree& tree);

/// All of them, but of a document of another kind or apiVersion only that.
Findings worth_saying(const Findings& findings);

/// What `decode` reads of a whole document, or what is wrong with it.
template <typename T>
Result<T, Findings> decode_whole(const Tree& tree, T (*decode)(Fields& root)) {
  Problems problems(object_of(tree));
  Fields root(tree.root(), problems);
  T decoded = decode(root);
  if (problems.any_error()) return fail(worth_saying(problems.findings()));
  return decoded;
}

/// Checks apiVersion and kind, and reads metadata.name (required). Counts all of them as known.
std::string decode_header(Fields& root, std::string_view kind);

}  // namespace overlane::document
