#include "dataplane/encap/ip_in_ipv4/testing/subject.h"
#include "dataplane/encap/testing/fuzz_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace overlane;
  encap::testing::FuzzProperties<ipip::testing::Subject>::check({data, size});
  encap::testing::FuzzProperties<sit::testing::Subject>::check({data, size});
  return 0;
}
