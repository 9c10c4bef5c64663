#pragma once

#include <string_view>

#include "topologies/path/question.h"

namespace overlane::path {

/// Finds an endpoint. Names of pods and nodes resolve to their addresses of `family`.
Result<Endpoint> find_endpoint(const compile::Compiled& states,
                               const effective::EffectiveDataplane& shoot, std::string_view text,
                               Family family);

/// The address in the text if it is one.
std::optional<IpAddress> address_in(std::string_view text);

/// The first pod of another node than `node`, or else another pod than `besides`.
Result<Endpoint> pod_elsewhere(const compile::Compiled& states, std::uint32_t node,
                               IpAddress besides);
/// The first pod.
Result<Endpoint> first_pod(const compile::Compiled& states, Family family);

}  // namespace overlane::path
