#include "topologies/cni/extension/live_comparison.h"

#include <algorithm>

namespace overlane::cni {

bool LiveInputs::assumes(std::string_view field) const {
  const auto reason = std::ranges::find(expected.reasons, field, &effective::Reason::field);
  return reason != expected.reasons.end() && reason->assumed;
}

bool ObservedKind::matches(std::string_view object_kind, std::string_view api_version) const {
  return kind == object_kind &&
         (api_version.starts_with(group) || api_version.starts_with(other_group));
}

Settings settings_of(const document::Value& mapping) {
  Settings settings;
  for (const document::Value& entry : mapping)
    if (entry.is(document::Kind::Scalar))
      settings.emplace(entry.key(),
                       manifest::Located<std::string>{std::string(entry.text()), entry.place(),
                                                      document::FieldPath(entry)});
  return settings;
}

const manifest::Located<std::string>* find(const Settings& settings, std::string_view name) {
  const auto found = settings.find(name);
  return found == settings.end() ? nullptr : &found->second;
}

}  // namespace overlane::cni
