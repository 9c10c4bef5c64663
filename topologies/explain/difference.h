#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "topologies/explain/explanation.h"

namespace overlane::explain {

/// What one explained network has otherwise than another.
struct Difference {
  std::string network;  ///< "namespace/name".
  enum class Kind { Changed, Added, Removed } kind = Kind::Changed;
  /// The fields whose values differ, in the order of the explanation; of a network that only one
  /// side has, none. A reason with an empty field stands for a field that this side lacks.
  struct Field {
    effective::Reason before;
    effective::Reason after;
  };
  std::vector<Field> fields;
};

/// Networks are the same by kind, namespace and name; or, if each side has exactly one, those. What
/// does not differ is left out.
std::vector<Difference> compare(const Explanation& before, const Explanation& after);

/// For a person: old value, new value and the new one's reason. Says so when nothing differs.
std::string print(const std::vector<Difference>& differences);

/// The JSON document of kind ExplanationDifference.
nlohmann::ordered_json encode(const std::vector<Difference>& differences);

}  // namespace overlane::explain
