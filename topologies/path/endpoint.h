#pragma once

#include <string_view>

#include "topologies/path/question.h"

namespace overlane::path {

/// Names of pods and nodes stand for their addresses of `family`, when they have one.
Result<Endpoint> find_endpoint(const compile::Compiled& states,
                               const effective::EffectiveDataplane& shoot, std::string_view text,
                               Family family);

/// The address that the text names an endpoint by, if it does.
std::optional<IpAddress> address_in(std::string_view text);

/// The first pod of a node that is not `node`, or, when there is none, another pod than `besides`.
Result<Endpoint> pod_elsewhere(const compile::Compiled& states, std::uint32_t node,
                               IpAddress besides);
/// The first pod.
Result<Endpoint> first_pod(const compile::Compiled& states, Family family);

}  // namespace overlane::path
