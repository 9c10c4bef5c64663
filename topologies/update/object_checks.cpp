#include "topologies/update/same_value.h"
#include "topologies/update/update_tables.h"

namespace overlane::update {
namespace {

using rules::RuleReport;

void check_deleted(const ObjectUpdate& update, RuleReport& report) {
  const document::Value deleted = update.before.metadata["deletionTimestamp"];
  if (deleted && !same_value(update.before.spec, update.after.spec))
    report.add("metadata", update.after.metadata.place(),
               "it is being deleted: its spec may not change");
}

void check_networking(const ObjectUpdate& update, RuleReport& report) {
  if (update.before.spec["networking"] && !update.after.spec["networking"])
    report.add("spec.networking may not be removed once it is set");
}

constexpr Check<ObjectUpdate> kObjectChecks[] = {
    {{.id = "spec-changed-in-deletion",
      .section = "N6",
      .title = "The spec of an object in deletion changes.",
      .why = "With a deletionTimestamp, validation accepts no change of the spec.",
      .remedy = "wait for the deletion, and create the object again",
      .source = "gardener/gardener pkg/api/extensions/validation/network.go; "
                "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_deleted},
    {{.id = "networking-removed",
      .section = "§1.2",
      .title = "The networking of a shoot is removed after it was set.",
      .why = "Validation refuses an update without it; only shoots without workers may be created "
             "without it.",
      .remedy = "keep spec.networking",
      .source = "gardener/gardener pkg/api/core/validation/shoot.go"},
     check_networking},
};

}  // namespace

std::span<const Check<ObjectUpdate>> object_checks() {
  return kObjectChecks;
}

}  // namespace overlane::update
