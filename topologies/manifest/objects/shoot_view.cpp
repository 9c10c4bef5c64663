#include "topologies/manifest/objects/shoot_view.h"

#include <utility>

#include <fmt/format.h>

#include "topologies/document/fields/fields.h"

namespace overlane::manifest {

namespace {

using document::Value;

constexpr std::string_view kApi2020 = "garden.sapcloud.io/v1beta1";

ShootView plain(ShootForm form, const ObjectName& name, const Value& root) {
  ShootView view{.form = form,
                 .name = name,
                 .whole = root,
                 .metadata = root["metadata"],
                 .spec = root["spec"],
                 .status = root["status"]};
  view.name.kind = "Shoot";
  return view;
}

/// The first shoot that the controller of a ManagedSeedSet creates from the template.
ShootView templated(const ObjectHead& set, const Value& root) {
  ShootView view = plain(ShootForm::ManagedSeedSet, set.name, root["spec"]["shootTemplate"]);
  if (!view.name.name.empty()) view.name.name += "-0";
  return view;
}

/// The shoot in a Runtime. It has no namespace, because the Runtime's namespace is not the shoot's.
ShootView of_runtime(const Value& root) {
  const Value shoot = root["spec"]["shoot"];
  return {.form = ShootForm::Runtime,
          .name = {"Shoot", "", std::string(shoot["name"].text())},
          .whole = root,
          .metadata = {},
          .spec = shoot,
          .status = {},
          .live = {}};
}

bool is_whole(ShootForm form, const Value& spec) {
  if (form == ShootForm::Shoot2020) return bool(spec["cloud"]);
  return is_given(spec["networking"]["type"]);
}

/// The shoot's spec in an object of Role::Shoot.
Value spec_of(ShootForm form, const Value& root) {
  const Value spec = root["spec"];
  if (form == ShootForm::ManagedSeedSet) return spec["shootTemplate"]["spec"];
  return form == ShootForm::Runtime ? spec["shoot"] : spec;
}

}  // namespace

bool is_given(const Value& value) {
  return value && !(value.is(document::Kind::Scalar) && value.text().empty());
}

bool ShootView::is_whole() const {
  return manifest::is_whole(form, spec);
}

bool describes_whole_shoot(const ObjectHead& object) {
  return object.is(Role::Shoot) &&
         is_whole(object.kind->form, spec_of(object.kind->form, object.root));
}

ShootView view_shoot(const ObjectHead& object, const Value& root) {
  switch (object.kind->form) {
    case ShootForm::ManagedSeedSet:
      return templated(object, root);
    case ShootForm::Runtime:
      return of_runtime(root);
    case ShootForm::None:
    case ShootForm::Shoot:
    case ShootForm::Shoot2020:
      break;
  }
  ShootView view = plain(object.kind->form, object.name, root);
  view.live = live_evidence(root);
  return view;
}

ShootView view_embedded_shoot(const ObjectHead& cluster) {
  const Value shoot = cluster.root["spec"]["shoot"];
  const bool old = shoot["apiVersion"].text() == kApi2020;
  ShootView view = plain(old ? ShootForm::Shoot2020 : ShootForm::Shoot, name_of(shoot), shoot);
  if (view.name.name.empty()) view.name.name = cluster.name.name;
  view.live = Located<std::string>{"it stands in a Cluster of a seed", cluster.root.place(),
                                   cluster.root.path()};
  return view;
}

std::optional<Finding> unknown_embedded_shoot(const ObjectHead& cluster) {
  const Value shoot = cluster.root["spec"]["shoot"];
  const std::string_view version = shoot["apiVersion"].text();
  if (!version.empty() && find_object_kind("Shoot", version) == nullptr)
    return refuse(
        cluster.name, shoot["apiVersion"], "unsupported-api-version",
        fmt::format("the embedded shoot has the apiVersion \"{}\", which is not supported",
                    version),
        "convert it to core.gardener.cloud/v1beta1");
  const std::string_view kind = shoot["kind"].text();
  if (!kind.empty() && kind != "Shoot")
    return refuse(cluster.name, shoot["kind"], "unsupported-fragment",
                  fmt::format("what the Cluster embeds as its shoot is of kind {}", kind),
                  "give the whole Cluster");
  return std::nullopt;
}

Value misspelt_network_type(const ShootView& shoot) {
  const Value networking = shoot.networking();
  const Value& block = networking ? networking : shoot.spec;
  if (!block.is(document::Kind::Mapping)) return {};
  const std::string_view wanted[] = {networking ? "type" : "networking"};
  for (const Value entry : block)
    if (!document::closest(entry.key(), wanted).empty()) return entry;
  return {};
}

Finding without_network_type(const ObjectName& object, const Value& whole, const ShootView& shoot,
                             std::string_view path, std::string hint) {
  const Value networking = shoot.networking();
  const std::string missing = fmt::format("only a part of a shoot: it has no {}", path);
  const Value misspelt = misspelt_network_type(shoot);
  if (!misspelt)
    return refuse(object, networking ? networking : whole, "unsupported-fragment", missing,
                  std::move(hint));
  Finding finding = refuse(object, misspelt, "unsupported-fragment",
                           fmt::format("{}, but {}", missing, misspelt.path()),
                           fmt::format("did you mean {}?", networking ? "type" : "networking"));
  finding.place = misspelt.key_place();
  return finding;
}

std::string technical_id(const ShootView& shoot) {
  const Value id = shoot.status["technicalID"];
  if (!id.text().empty()) return std::string(id.text());
  constexpr std::string_view kProject = "garden-";
  std::string_view project = shoot.name.namespace_;
  if (project.starts_with(kProject))
    project.remove_prefix(kProject.size());
  else if (project != "garden")
    return "";
  return std::string("shoot--").append(project).append("--").append(shoot.name.name);
}

}  // namespace overlane::manifest
