#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/document/fields/fields.h"
#include "topologies/manifest/fields/located.h"

namespace overlane::manifest {

/// One of a Shoot's `provider.workers[]` or of a Worker's `pools[]`.
struct WorkerPool {
  std::string name;
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  std::vector<std::string> zones;
  std::string machine_type;
  Field<std::string> max_surge;        ///< A number or a percentage.
  Field<std::string> max_unavailable;  ///< A number or a percentage.
  Field<std::string> kubernetes_version;
  Field<std::int64_t> max_pods;  ///< The pool's own `kubelet.maxPods`.
  /// AutoRollingUpdate if absent; AutoInPlaceUpdate and ManualInPlaceUpdate keep the machines
  /// (GEP-31).
  Field<std::string> update_strategy;
  /// Whether its machines run the control plane of a self-hosted shoot (GEP-28).
  Field<bool> control_plane;
  SourceLocation place;

  bool is_updated_in_place() const {
    return update_strategy && update_strategy->value.ends_with("InPlaceUpdate");
  }
};

/// gardener/gardener pkg/apis/core/v1beta1/types_shoot.go, Worker.
WorkerPool decode_shoot_worker(const document::Value& value, document::Problems& problems);
/// gardener/gardener pkg/apis/extensions/v1alpha1/types_worker.go, WorkerPool.
WorkerPool decode_worker_pool(const document::Value& value, document::Problems& problems);
/// A worker of spec.cloud.<provider> in garden.sapcloud.io/v1beta1; zones are in a sibling list.
WorkerPool decode_worker_2020(const document::Value& value, document::Problems& problems);

/// `kubelet.maxPods` of a `kubernetes` block. Of a kubelet's other fields, only a misspelt maxPods
/// is reported, since Kubernetes adds fields in every release.
Field<std::int64_t> decode_max_pods(document::Fields& kubernetes);

}  // namespace overlane::manifest
