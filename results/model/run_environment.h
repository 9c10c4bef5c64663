#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "results/base/json_field_list.h"

namespace overlane {
class JsonReader;
}

namespace overlane::model {

/// The kernel's pool of huge pages of the default size.
struct Hugepages {
  std::int64_t total = 0;
  std::int64_t free = 0;
  std::int64_t size_bytes = 0;

  bool operator==(const Hugepages&) const = default;
};

/// Origin of a result: the build of the program and the machine. Every report contains it, so that
/// a reader can see whether two results are comparable. Result hashes omit it. Unknown texts are
/// "unknown".
struct Environment {
  std::string overlane_version;
  /// Commit of the source, 40 hexadecimal digits; followed by "-dirty" if files differed from it.
  std::string commit;
  std::string compiler;  ///< "GNU 12.2.0".
  std::string flags;     ///< Options of the compiler, without warning options.
  std::string build_type;
  std::string cpu_model;
  std::string kernel;
  std::int64_t cores = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t started_ms = 0;  ///< Unix time when the program started; 0: unknown.
  double load = 0;  ///< Load average of the last minute when the program started, in processes.
  Hugepages hugepages;

  bool operator==(const Environment&) const = default;
};

template <typename Archive, same_as_or_const<Hugepages> Value>
void fields(Archive& archive, Value& pages) {
  archive.required("total", pages.total);
  archive.required("free", pages.free);
  archive.required("size_bytes", pages.size_bytes);
}

template <typename Archive, same_as_or_const<Environment> Value>
void fields(Archive& archive, Value& environment) {
  archive.required("overlane_version", environment.overlane_version);
  archive.required("commit", environment.commit);
  archive.required("compiler", environment.compiler);
  archive.required("flags", environment.flags);
  archive.required("build_type", environment.build_type);
  archive.required("cpu_model", environment.cpu_model);
  archive.required("kernel", environment.kernel);
  archive.required("cores", environment.cores);
  archive.required("memory_bytes", environment.memory_bytes);
  archive.required("load", environment.load);
  archive.required("hugepages", environment.hugepages);
  archive.optional_if(environment.started_ms != 0, "started_ms", environment.started_ms);
}

/// The `environment` of a report.
nlohmann::ordered_json encode(const Environment& environment);
Environment decode_environment(const JsonReader& json);

}  // namespace overlane::model
