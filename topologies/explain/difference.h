#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "results/report/style.h"
#include "topologies/explain/explanation.h"

// `overlane explain --compare-to`: compares two explanations field by field, to show the effect of
// a change of manifests, release or settings on the effective dataplane. The functions are pure.
namespace overlane::explain {

/// The differences of one network between two explanations.
struct Difference {
  std::string network;  ///< "namespace/name".
  enum class Kind { Changed, Added, Removed } kind = Kind::Changed;
  /// The fields with different values, in the order of the explanation; empty for a network that
  /// only one side has. If one side lacks the field, its Reason has an empty `field`.
  struct Field {
    effective::Reason before;
    effective::Reason after;
  };
  std::vector<Field> fields;
};

/// Compares networks of the same kind, namespace and name, or, if each side has exactly one, those
/// two. Omits equal values.
std::vector<Difference> compare(const Explanation& before, const Explanation& after);

/// The text output: for each field the old value, the new value and the reason of the new value,
/// then the findings about both sides. Without differences, the text states that there are none.
std::string print(const std::vector<Difference>& differences, const Findings& findings = {},
                  report::Style style = report::Style::Plain);

/// The JSON document of kind ExplanationDifference.
nlohmann::ordered_json encode(const std::vector<Difference>& differences,
                              const Findings& findings = {});

}  // namespace overlane::explain
