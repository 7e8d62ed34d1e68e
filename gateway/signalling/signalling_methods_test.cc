#include "gateway/signalling/signalling_methods.h"

#include <google/protobuf/descriptor.h>

#include <memory>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "proto/signalling/v1/signalling_service.pb.h"

namespace sluice {
namespace {

TEST(SignallingMethodsTest, TheTableIsTheServiceOfTheProto) {
  const google::protobuf::FileDescriptor& file = *signalling::v1::JoinRequest::descriptor()->file();
  const google::protobuf::ServiceDescriptor& service = *file.FindServiceByName("SignallingService");
  ASSERT_EQ(size_t(service.method_count()), kSignallingMethods);
  for (int i = 0; i < service.method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *service.method(i);
    const SignallingMethodRow* row = FindMethodByName(method.name());
    ASSERT_NE(row, nullptr) << method.name();
    EXPECT_EQ(row->new_request()->GetDescriptor(), method.input_type()) << method.name();
    EXPECT_EQ(row->kind == MethodKind::kStream, method.server_streaming()) << method.name();
    EXPECT_EQ(row->call == nullptr, method.server_streaming()) << method.name();
  }
}

TEST(SignallingMethodsTest, RowsStandWhereTheirMethodSays) {
  std::set<std::string> paths;
  for (const SignallingMethodRow& row : SignallingMethodTable()) {
    EXPECT_EQ(&RowOf(row.method), &row) << row.name;
    EXPECT_EQ(FindMethodByPath(row.path), &row) << row.path;
    EXPECT_TRUE(absl::StartsWith(row.path, "/v1/")) << row.path;
    paths.insert(std::string(row.path));
  }
  EXPECT_EQ(paths.size(), kSignallingMethods);
}

TEST(SignallingMethodsTest, WhatIsNotThereIsNotFound) {
  for (const char* name : {"", "join", "Join ", "sluice.signalling.v1.SignallingService/Join"}) {
    EXPECT_EQ(FindMethodByName(name), nullptr) << name;
  }
  for (const char* path : {"", "/", "/v1", "/v1/Join", "/v1/join/", "v1/join", "/v2/join"}) {
    EXPECT_EQ(FindMethodByPath(path), nullptr) << path;
  }
}

TEST(SignallingMethodsTest, OnlyWhatMayHappenTwiceMayComeEarly) {
  for (const SignallingMethodRow& row : SignallingMethodTable()) {
    EXPECT_EQ(row.early, row.method == SignallingMethod::kPing) << row.name;
  }
}

}  // namespace
}  // namespace sluice
