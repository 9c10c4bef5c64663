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
  archive.required({"total", "Number of huge pages."}, pages.total);
  archive.required({"free", "Number of free huge pages."}, pages.free);
  archive.required({"size_bytes", "Size of a huge page, in bytes."}, pages.size_bytes);
}

template <typename Archive, same_as_or_const<Environment> Value>
void fields(Archive& archive, Value& environment) {
  archive.required({"overlane_version", "Version of the program."}, environment.overlane_version);
  archive.required({"commit", "Commit of the source; -dirty if files differed from it."},
                   environment.commit);
  archive.required({"compiler", "Compiler and its version."}, environment.compiler);
  archive.required({"flags", "Options of the compiler."}, environment.flags);
  archive.required({"build_type", "Build type of CMake."}, environment.build_type);
  archive.required({"cpu_model", "Model of the processor."}, environment.cpu_model);
  archive.required({"kernel", "Release of the machine's kernel."}, environment.kernel);
  archive.required({"cores", "Number of cores."}, environment.cores);
  archive.required({"memory_bytes", "Memory of the machine, in bytes."}, environment.memory_bytes);
  archive.required({"load", "Load average of the last minute, in processes."}, environment.load);
  archive.required({"hugepages", "The kernel's pool of huge pages of the default size."},
                   environment.hugepages);
  archive.optional_if(environment.started_ms != 0,
                      {"started_ms", "Unix time when the program started, in milliseconds."},
                      environment.started_ms);
}

/// The `environment` of a report.
nlohmann::ordered_json encode(const Environment& environment);
Environment decode_environment(const JsonReader& json);

}  // namespace overlane::model
