#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "topologies/derive/derive.h"
#include "topologies/document/syntax/parse.h"
#include "topologies/effective/effective_dataplane.h"

namespace overlane::explain {

/// The answer of `overlane explain`.
struct Explanation {
  std::vector<effective::EffectiveDataplane> networks;
  Findings findings;
};

/// Explains every Shoot and Network of the stream. A document without a network has a finding.
/// Nothing depends on the number of threads (0: one per core).
Explanation explain(document::Stream stream, const derive::DeriveOptions& options,
                    unsigned threads = 0);

/// The JSON document of kind Explanation.
nlohmann::ordered_json encode(const Explanation& explanation);

/// Every network with each value's reason and place, for a person. With more than one network a
/// summary comes first. Findings are not in it (see print_findings).
std::string print(const Explanation& explanation);

/// One row per network.
std::string print_summary(const Explanation& explanation);

/// One line per finding; empty when there is none.
std::string print_findings(const Findings& findings);

}  // namespace overlane::explain
