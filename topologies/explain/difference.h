#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "topologies/explain/explanation.h"

// Compares two explanations field by field: the effect of a change of manifests, release or
// settings on the effective dataplane.
namespace overlane::explain {

/// The differences of one network between two explanations.
struct Difference {
  std::string network;  ///< "namespace/name".
  enum class Kind { Changed, Added, Removed } kind = Kind::Changed;
  /// The fields with different values, in the order of the explanation; none for a network that
  /// only one side has. A reason with an empty field marks a field that this side lacks.
  struct Field {
    effective::Reason before;
    effective::Reason after;
  };
  std::vector<Field> fields;
};

/// Compares networks of the same kind, namespace and name, or, if each side has exactly one, those
/// two. Omits equal values.
std::vector<Difference> compare(const Explanation& before, const Explanation& after);

/// Text: old value, new value and the new one's reason; then the findings about both sides. Without
/// differences, the text states that.
std::string print(const std::vector<Difference>& differences, const Findings& findings = {});

/// The JSON document of kind ExplanationDifference.
nlohmann::ordered_json encode(const std::vector<Difference>& differences,
                              const Findings& findings = {});

}  // namespace overlane::explain
