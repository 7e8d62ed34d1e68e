#include "tests/e2e/gateway_fixture.h"

#include <iostream>

namespace sluice {

void GatewayFixture::SetUp() {
  absl::StatusOr<std::unique_ptr<GatewayProcess>> gateway = GatewayProcess::Start(options_);
  ASSERT_TRUE(gateway.ok()) << gateway.status();
  gateway_ = *std::move(gateway);
  control_.emplace(gateway_->channel());
}

void GatewayFixture::Restart() {
  control_.reset();
  gateway_.reset();
  GatewayFixture::SetUp();
}

void GatewayFixture::TearDown() {
  if (gateway_ == nullptr) {
    return;
  }
  if (HasFailure()) {
    ShowWhatHappened();
  }
  control_.reset();
  const std::optional<int> exit_code = gateway_->Stop();
  // A sanitizer's report ends the process with another code.
  EXPECT_EQ(exit_code, 0) << "the gateway did not stop well; its log:\n" << gateway_->Log();
}

void GatewayFixture::ShowWhatHappened() {
  std::cerr << "---- log of the gateway:\n" << gateway_->Log();
  for (const pb::SessionState state : {pb::SESSION_STATE_UNSPECIFIED, pb::SESSION_STATE_ENDED}) {
    pb::ListSessionsRequest request;
    request.set_page_size(20);
    request.mutable_filter()->set_state(state);
    pb::ListSessionsResponse sessions;
    if (!control().Call(&ControlClient::Stub::ListSessions, request, &sessions).ok()) {
      continue;
    }
    for (const pb::Session& session : sessions.sessions()) {
      pb::GetStatsRequest stats_request;
      stats_request.set_session_id(session.session_id());
      pb::GetStatsResponse response;
      if (control().Call(&ControlClient::Stub::GetStats, stats_request, &response).ok()) {
        std::cerr << "---- session:\n" << session.DebugString();
        std::cerr << "---- its statistics:\n" << response.stats().DebugString();
      }
    }
  }
}

}  // namespace sluice
