#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "tools/fastpath/testing/testbed.h"

namespace overlane::fastpath {

/// The far node and its pod in a user-mode Linux, whose kernel has the devices that the running one
/// may lack (ipip); an Echo runs in the pod. Its uplink is the tap up0 in NearSide::middle. Stopped
/// when it goes.
class UmlFarSide {
 public:
  /// Why there is none on this machine; empty when there is.
  static std::string why_not();

  /// Returns when the pod's Echo answers. `folder` gets its files.
  static Parsed<std::unique_ptr<UmlFarSide>> start(const Layout& layout, const NearSide& near,
                                                   const std::filesystem::path& folder);
  ~UmlFarSide();

  /// exchange_all_sizes(), from the far pod.
  std::string exchange_all_sizes_with(const std::string& pod, std::size_t mtu) const;

  /// What the program inside does: an Echo, and what it is asked for, until `folder` says that it
  /// is to end.
  static std::string serve(const std::filesystem::path& folder);

 private:
  UmlFarSide(const NearSide& near, std::filesystem::path folder);

  std::filesystem::path folder_;
  std::jthread thread_;
};

}  // namespace overlane::fastpath
