#include "scenarios/runner/load/choose_shoot.h"

#include <algorithm>

#include <fmt/format.h>

namespace overlane::runner {
namespace {

std::string names(const std::vector<manifest::PodNetworkSpec>& clusters) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(clusters.size(), kShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", clusters[i].object.qualified());
  }
  if (clusters.size() > kShown) text += fmt::format(" and {} more", clusters.size() - kShown);
  return text;
}

Finding usage(std::string message, std::string hint) {
  return {.rule = "choose-shoot",
          .severity = Severity::Error,
          .message = std::move(message),
          .hint = std::move(hint)};
}

}  // namespace

Outcome<ChosenShoot> choose_shoot(manifest::ManifestSet manifests, const std::string& wanted) {
  auto& clusters = manifests.clusters;
  if (clusters.empty()) {
    if (!any_at_or_above(manifests.findings, Severity::Error)) {
      manifests.findings.push_back({.rule = "no-shoot",
                                    .severity = Severity::Error,
                                    .message = "no Shoot or Network to run was found",
                                    .hint = "give a file with one"});
    }
    return unusable(std::move(manifests.findings));
  }
  auto chosen = clusters.begin();
  if (!wanted.empty()) {
    chosen = std::ranges::find_if(
        clusters, [&](const auto& spec) { return spec.object.qualified() == wanted; });
    if (chosen == clusters.end()) {
      return fail(Failure{Failure::Kind::Usage,
                          {usage(fmt::format("there is no shoot {} in the input", wanted),
                                 "there is " + names(clusters))}});
    }
  } else if (clusters.size() > 1) {
    return fail(Failure{Failure::Kind::Usage,
                        {usage(fmt::format("the input holds {} shoots", clusters.size()),
                               "choose one with --shoot NAMESPACE/NAME: " + names(clusters))}});
  }
  return ChosenShoot{std::move(*chosen), std::move(manifests.findings)};
}

}  // namespace overlane::runner
