#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {

/// The far node and its pod in a user-mode Linux, which has devices that the running kernel may
/// lack (ipip); an Echo runs in the pod. Its uplink is the tap up0 in NearSide::middle. Stopped by
/// the destructor.
class UmlFarSide {
 public:
  /// Why it cannot run on this machine; empty if it can.
  static std::string why_not();

  /// Returns after the pod's Echo answers. Files are in `folder`.
  static Parsed<std::unique_ptr<UmlFarSide>> start(const Layout& layout, const NearSide& near,
                                                   const std::filesystem::path& folder);
  ~UmlFarSide();

  /// exchange_all_sizes(), from the far pod.
  std::string exchange_all_sizes_with(const std::string& pod, std::size_t mtu) const;

  /// The program inside: runs an Echo and the requested exchanges until a file in `folder` ends it.
  static std::string serve(const std::filesystem::path& folder);

 private:
  UmlFarSide(const NearSide& near, std::filesystem::path folder);

  std::filesystem::path folder_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
