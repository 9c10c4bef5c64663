#pragma once

#include <array>
#include <span>

#include "topologies/sources/clouds.h"
#include "topologies/sources/gardener.h"
#include "topologies/sources/pod_networks.h"
#include "topologies/sources/provider_extensions.h"
#include "topologies/sources/source.h"
#include "topologies/sources/standards.h"

namespace overlane::sources {

/// The sources of one kind of owner, and the heading under which pages list them.
struct SourceGroup {
  std::string_view title;
  std::span<const Source> sources;
};

/// All sources. A new file of rows is entered here; what is not here cannot be cited.
inline constexpr std::array kSources{
    SourceGroup{"Gardener", kGardenerSources},
    SourceGroup{"Gardener's provider extensions", kProviderExtensionsSources},
    SourceGroup{"Other provider extensions", kCommunityProvidersSources},
    SourceGroup{"Gardener's network extensions", kNetworkExtensionsSources},
    SourceGroup{"Calico and Cilium", kNetworkPluginsSources},
    SourceGroup{"Cloud controllers", kCloudControllersSources},
    SourceGroup{"Clouds", kCloudsSources},
    SourceGroup{"Standards and systems", kStandardsSources},
};

}  // namespace overlane::sources
