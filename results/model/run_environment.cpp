#include "results/model/run_environment.h"

#include <nlohmann/json.hpp>

#include "results/base/json_fields.h"

namespace overlane::model {

nlohmann::ordered_json encode(const Environment& environment) {
  return encode_fields(environment);
}

Environment decode_environment(const JsonReader& json) {
  return decode_fields<Environment>(json);
}

}  // namespace overlane::model
