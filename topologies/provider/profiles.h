#pragma once

#include "topologies/provider/profile.h"

namespace overlane::provider {

// The table of provider profiles. A provider without a profile gets one that claims nothing.

// Each is defined in the file of its provider, small ones in profiles.cpp, which lists them all.
extern const Profile kAws;
extern const Profile kGcp;
extern const Profile kAzure;
extern const Profile kOpenStack;
extern const Profile kAliCloud;
extern const Profile kMetal;
extern const Profile kLocal;
extern const Profile kStackit;
extern const Profile kHcloud;

/// Kubernetes' default for services of type NodePort (kube-apiserver --service-node-port-range).
inline constexpr FilterRule::Ports kDefaultNodePorts{30'000, 32'767};

}  // namespace overlane::provider
