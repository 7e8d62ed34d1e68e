#include "quic/codec/transport_parameter_error.h"

#include <cstddef>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

TEST(TransportParameterErrorTest, EveryFaultHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (size_t i = 0; i < kTransportParameterFaultCount; ++i) {
    names.insert(FaultName(static_cast<TransportParameterFault>(i)));
  }
  EXPECT_EQ(names.size(), kTransportParameterFaultCount);
  EXPECT_EQ(names.count(""), 0u);
  EXPECT_EQ(FaultName(TransportParameterFault::kTruncated), "truncated");
  EXPECT_EQ(FaultName(TransportParameterFault::kTooManyUnknown), "too_many_unknown");
}

TEST(TransportParameterErrorTest, SaysWhichParameterAndWhy) {
  using Error = TransportParameterError;
  EXPECT_EQ(absl::StrCat(Error{TransportParameterFault::kOutOfRange, 0x08}),
            "initial_max_streams_bidi (0x8): out_of_range");
  EXPECT_EQ(absl::StrCat(Error{TransportParameterFault::kDuplicate, 0x2ab2}),
            "grease_quic_bit (0x2ab2): duplicate");
  EXPECT_EQ(absl::StrCat(Error{TransportParameterFault::kDuplicate, 0x7777}),
            "unknown (0x7777): duplicate");
  EXPECT_EQ(absl::StrCat(Error{TransportParameterFault::kMissing, 0}),
            "original_destination_connection_id (0): missing");
  EXPECT_EQ(absl::StrCat(Error{TransportParameterFault::kTruncated, Error::kNoId}),
            "no parameter: truncated");
}

TEST(TransportParameterErrorTest, TheCodeIsThatOfTheRfc) {
  EXPECT_EQ(kTransportParameterErrorCode, 8u);
}

}  // namespace
}  // namespace sluice
