#include "results/model/run_environment.h"

#include <nlohmann/json.hpp>

#include "results/base/json_reader.h"

namespace overlane::model {

nlohmann::ordered_json encode(const Environment& environment) {
  nlohmann::ordered_json json{{"overlane_version", environment.overlane_version},
                              {"commit", environment.commit},
                              {"compiler", environment.compiler},
                              {"flags", environment.flags},
                              {"build_type", environment.build_type},
                              {"cpu_model", environment.cpu_model},
                              {"kernel", environment.kernel},
                              {"cores", environment.cores},
                              {"memory_bytes", environment.memory_bytes},
                              {"load", environment.load},
                              {"hugepages",
                               {{"total", environment.hugepages.total},
                                {"free", environment.hugepages.free},
                                {"size_bytes", environment.hugepages.size_bytes}}}};
  if (environment.started_ms != 0) json["started_ms"] = environment.started_ms;
  return json;
}

Environment decode_environment(const JsonReader& json) {
  const JsonReader pages = json["hugepages"];
  const auto started = json.maybe("started_ms");
  return {.overlane_version = json["overlane_version"].string(),
          .commit = json["commit"].string(),
          .compiler = json["compiler"].string(),
          .flags = json["flags"].string(),
          .build_type = json["build_type"].string(),
          .cpu_model = json["cpu_model"].string(),
          .kernel = json["kernel"].string(),
          .cores = json["cores"].integer(),
          .memory_bytes = json["memory_bytes"].integer(),
          .started_ms = started ? started->integer() : 0,
          .load = json["load"].number(),
          .hugepages = {.total = pages["total"].integer(),
                        .free = pages["free"].integer(),
                        .size_bytes = pages["size_bytes"].integer()}};
}

}  // namespace overlane::model
