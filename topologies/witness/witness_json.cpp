#include <nlohmann/json.hpp>

#include "topologies/path/trace_report.h"
#include "topologies/witness/witness.h"

namespace overlane::witness {

nlohmann::ordered_json encode(const Witness& witness) {
  using Json = nlohmann::ordered_json;
  return {{"sender", witness.sender},
          {"source", witness.source.to_string()},
          {"destination", witness.destination.to_string()},
          {"port", witness.port},
          {"meant", witness.meant},
          {"lands", witness.lands},
          {"drop", witness.drop ? Json(overlane::to_string(*witness.drop)) : Json()},
          {"wrong", witness.wrong},
          {"because", witness.because},
          {"hops", path::encode(witness.hops)},
          {"assumptions", witness.assumptions}};
}

}  // namespace overlane::witness
