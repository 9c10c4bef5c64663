#pragma once

#include "topologies/check/check.h"
#include "topologies/check/choice.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::check {

/// Findings of the rules about one shoot. `decoded` are the decoders' findings: fields that could
/// not be read count as absent, so that findings about them and their parents are removed, and
/// lints as well, unless `derive` ignores the decoder's finding.
Findings judge(const manifest::PodNetworkSpec& spec, const Findings& decoded,
               const derive::DeriveOptions& derive);

void append(const Findings& more, Findings& findings);

/// Removes ignored and silenced findings, and sorts the rest. `stream` has the objects with their
/// annotations.
void finish(CheckReport& report, const document::Stream& stream, const Choice& choice);

}  // namespace overlane::check
