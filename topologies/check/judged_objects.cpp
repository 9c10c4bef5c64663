#include "topologies/check/judged_objects.h"

#include "topologies/manifest/objects/shoot_view.h"

namespace overlane::check {
namespace {

using manifest::ObjectHead;
using manifest::Role;

JudgedObject judged(const ObjectHead& object) {
  const document::Value own = object.root["metadata"];
  if (!object.is(Role::Cluster) && !object.is(Role::Shoot))
    return {object.name, object.root.place(), own, object.root["spec"]};
  const manifest::ShootView shoot = object.is(Role::Shoot)
                                        ? manifest::view_shoot(object, object.root)
                                        : manifest::view_embedded_shoot(object);
  const bool is_runtime = shoot.form == manifest::ShootForm::Runtime;
  return {shoot.name, object.root.place(), is_runtime ? own : shoot.metadata, shoot.spec,
          shoot.is_whole()};
}

}  // namespace

std::vector<JudgedObject> judged_objects(const document::Stream& stream) {
  std::vector<JudgedObject> objects;
  for (const ObjectHead& object : manifest::list_objects(stream.documents))
    if (object.kind != nullptr) objects.push_back(judged(object));
  return objects;
}

}  // namespace overlane::check
