#pragma once

#include "topologies/check/check.h"
#include "topologies/check/choice.h"
#include "topologies/manifest/spec/pod_network_spec.h"

namespace overlane::check {

/// What the rules about one shoot say. `decoded` are the decoders' findings: a field that could not
/// be read counts as absent, so what the rules say of it and of what holds it is left out, and so
/// is what merely disappoints, unless `derive` overlooks the decoder's finding.
Findings judge(const manifest::PodNetworkSpec& spec, const Findings& decoded,
               const derive::DeriveOptions& derive);

void append(const Findings& more, Findings& findings);

/// Leaves out what nobody wants to know, and puts the rest in order. `stream` holds the objects and
/// their annotations.
void finish(CheckReport& report, const document::Stream& stream, const Choice& choice);

}  // namespace overlane::check
