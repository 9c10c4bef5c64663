#include "topologies/manifest/spec/worker_pool.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "topologies/document/tree/text_check.h"
#include "topologies/manifest/fields/located_fields.h"
#include "topologies/manifest/fields/unknown_fields.h"

namespace overlane::manifest {
namespace {

using document::Fields;
using document::Problems;
using document::Value;

/// An IntOrString: a number of machines or a percentage.
Field<std::string> given_share(Fields& fields, std::string_view key) {
  const Value value = fields.any(key);
  if (!value) return std::nullopt;
  if (value.is(document::Kind::Scalar) && (value.as_integer() || value.text().ends_with('%')))
    return Located<std::string>{std::string(value.text()), value.place(),
                                document::FieldPath(value)};
  fields.problems().error(value, "wrong-type",
                          fmt::format("{} must be a number or a percentage", value.path()));
  return std::nullopt;
}

/// 0 if it is absent; nothing if it could not be read.
std::optional<std::int64_t> node_count(Fields& worker, std::string_view key) {
  if (!worker.value()[key]) return 0;
  const auto count = given_integer(worker, key, kInt32);
  return count ? std::optional(count->value) : std::nullopt;
}

/// The common fields of all kinds; the names of the two limits differ.
WorkerPool decode_common_pool(Fields& fields, std::string_view minimum = "minimum",
                              std::string_view maximum = "maximum") {
  const Value& value = fields.value();
  std::string name = fields.string("name").value_or("");
  if (document::one_line(name) != name)
    fields.problems().error(
        value["name"], "bad-value",
        fmt::format("{} is no name: it must be on one line", value["name"].path()));
  const auto least = node_count(fields, minimum);
  const auto most = node_count(fields, maximum);
  WorkerPool pool{.name = std::move(name),
                  .minimum = least.value_or(0),
                  .maximum = most.value_or(0),
                  .zones = fields.strings("zones")};
  pool.max_surge = given_share(fields, "maxSurge");
  pool.max_unavailable = given_share(fields, "maxUnavailable");
  pool.update_strategy = given_string(fields, "updateStrategy");
  pool.place = value.place();
  if (least && most && (*least < 0 || *most < *least))
    fields.problems().error(
        value, "bad-value",
        fmt::format("{}: {} is {} and {} is {}; {} must be at least 0 and at most {}", value.path(),
                    minimum, *least, maximum, *most, minimum, maximum));
  return pool;
}

}  // namespace

WorkerPool decode_shoot_worker(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields);
  Fields machine = fields.fields("machine");
  pool.machine_type = machine.string("type").value_or("");
  machine.ignore({"image", "architecture"});
  machine.warn_others();
  Fields kubernetes = fields.fields("kubernetes");
  pool.max_pods = decode_max_pods(kubernetes);
  pool.kubernetes_version = given_string(kubernetes, "version");
  kubernetes.warn_others();
  if (const Value control_plane = fields.value()["controlPlane"]; control_plane.exists())
    pool.control_plane =
        Located<bool>{true, control_plane.place(), document::FieldPath(control_plane)};
  fields.ignore({"annotations", "caBundle", "cri", "labels", "providerConfig", "taints", "volume",
                 "dataVolumes", "kubeletDataVolumeName", "systemComponents",
                 "machineControllerManager", "sysctls", "clusterAutoscaler", "priority",
                 "controlPlane"});
  fields.warn_others();
  return pool;
}

WorkerPool decode_worker_pool(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields);
  pool.machine_type = fields.string("machineType").value_or("");
  pool.kubernetes_version = given_string(fields, "kubernetesVersion");
  return pool;
}

WorkerPool decode_worker_2020(const Value& value, Problems& problems) {
  Fields fields(value, problems);
  WorkerPool pool = decode_common_pool(fields, "autoScalerMin", "autoScalerMax");
  pool.machine_type = fields.string("machineType").value_or("");
  pool.max_pods = decode_max_pods(fields);
  fields.ignore({"annotations", "labels", "machineImage", "taints", "volumeSize", "volumeType"});
  fields.warn_others();
  return pool;
}

Field<std::int64_t> decode_max_pods(Fields& kubernetes) {
  constexpr Bounds kPods{1, 65'536};
  Fields kubelet = kubernetes.fields("kubelet");
  warn_misspelt(kubelet.value(), {"maxPods"}, kubelet.problems());
  return given_integer(kubelet, "maxPods", kPods);
}

}  // namespace overlane::manifest
