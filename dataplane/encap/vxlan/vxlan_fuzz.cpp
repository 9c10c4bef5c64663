#include "dataplane/encap/testing/fuzz_properties.h"
#include "dataplane/encap/vxlan/testing/subject.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Subject = overlane::vxlan::testing::Subject;
  overlane::encap::testing::FuzzProperties<Subject>::check({data, size});
  return 0;
}
