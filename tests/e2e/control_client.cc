#include "tests/e2e/control_client.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace sluice {
namespace {

// Fails the running test when a call was refused.
void ExpectOk(const grpc::Status& status, absl::string_view call) {
  EXPECT_TRUE(status.ok()) << call << ": code " << status.error_code() << ", "
                           << status.error_message();
}

}  // namespace

pb::Session ControlClient::CreateSession(absl::string_view session_id,
                                         const pb::SessionConfig& config) {
  pb::CreateSessionRequest request;
  request.set_session_id(std::string(session_id));
  *request.mutable_config() = config;
  pb::CreateSessionResponse response;
  ExpectOk(Call(&Stub::CreateSession, request, &response), "CreateSession");
  return response.session();
}

pb::Session ControlClient::GetSession(absl::string_view session_id) {
  pb::GetSessionRequest request;
  request.set_session_id(std::string(session_id));
  pb::GetSessionResponse response;
  ExpectOk(Call(&Stub::GetSession, request, &response), "GetSession");
  return response.session();
}

pb::DeleteSessionResponse ControlClient::DeleteSession(absl::string_view session_id) {
  pb::DeleteSessionRequest request;
  request.set_session_id(std::string(session_id));
  pb::DeleteSessionResponse response;
  ExpectOk(Call(&Stub::DeleteSession, request, &response), "DeleteSession");
  return response;
}

pb::AddLegResponse ControlClient::AddLeg(absl::string_view session_id, absl::string_view leg_id,
                                         const pb::LegConfig& config) {
  pb::AddLegRequest request;
  request.set_session_id(std::string(session_id));
  request.set_leg_id(std::string(leg_id));
  *request.mutable_config() = config;
  pb::AddLegResponse response;
  ExpectOk(Call(&Stub::AddLeg, request, &response), absl::StrCat("AddLeg ", leg_id));
  return response;
}

pb::UpdateLegResponse ControlClient::UpdateLeg(const pb::UpdateLegRequest& request) {
  pb::UpdateLegResponse response;
  ExpectOk(Call(&Stub::UpdateLeg, request, &response),
           absl::StrCat("UpdateLeg ", request.leg_id()));
  return response;
}

pb::LegStats ControlClient::RemoveLeg(absl::string_view session_id, absl::string_view leg_id) {
  pb::RemoveLegRequest request;
  request.set_session_id(std::string(session_id));
  request.set_leg_id(std::string(leg_id));
  pb::RemoveLegResponse response;
  ExpectOk(Call(&Stub::RemoveLeg, request, &response), absl::StrCat("RemoveLeg ", leg_id));
  return response.final_stats();
}

pb::CreateParticipantTokenResponse ControlClient::CreateParticipantToken(
    absl::string_view session_id, absl::string_view leg_id) {
  pb::CreateParticipantTokenRequest request;
  request.set_session_id(std::string(session_id));
  request.set_leg_id(std::string(leg_id));
  pb::CreateParticipantTokenResponse response;
  ExpectOk(Call(&Stub::CreateParticipantToken, request, &response),
           absl::StrCat("CreateParticipantToken ", leg_id));
  return response;
}

pb::SessionStats ControlClient::GetStats(absl::string_view session_id) {
  pb::GetStatsRequest request;
  request.set_session_id(std::string(session_id));
  pb::GetStatsResponse response;
  ExpectOk(Call(&Stub::GetStats, request, &response), "GetStats");
  return response.stats();
}

pb::Node ControlClient::GetNode() {
  pb::GetNodeResponse response;
  ExpectOk(Call(&Stub::GetNode, pb::GetNodeRequest(), &response), "GetNode");
  return response.node();
}

pb::SessionStats ControlClient::AwaitStats(
    absl::string_view session_id, absl::string_view what,
    absl::FunctionRef<bool(const pb::SessionStats&)> reached) {
  const Deadline deadline = Deadline::Generous();
  while (true) {
    pb::SessionStats stats = GetStats(session_id);
    if (reached(stats) || ::testing::Test::HasFatalFailure()) {
      return stats;
    }
    if (deadline.passed() || stats.session_id().empty()) {
      ADD_FAILURE() << "the gateway never " << what << "; last statistics:\n"
                    << stats.DebugString();
      return stats;
    }
  }
}

pb::LegStats LegOf(const pb::SessionStats& stats, absl::string_view leg_id) {
  for (const pb::LegStats& leg : stats.legs()) {
    if (leg.leg_id() == leg_id) {
      return leg;
    }
  }
  ADD_FAILURE() << "no leg " << leg_id << " in " << stats.DebugString();
  return {};
}

VerdictMap VerdictsOf(const pb::SessionStats& stats, absl::string_view leg_id) {
  VerdictMap verdicts;
  const pb::LegStats leg = LegOf(stats, leg_id);
  for (const pb::VerdictCount& count : leg.verdicts()) {
    verdicts[count.verdict()] += count.packets();
  }
  return verdicts;
}

uint64_t VerdictOf(const pb::SessionStats& stats, absl::string_view leg_id,
                   absl::string_view verdict) {
  return VerdictsOf(stats, leg_id)[std::string(verdict)];
}

uint64_t CounterOf(const pb::LegStats& leg, absl::string_view interceptor, absl::string_view name) {
  for (const pb::InterceptorCounter& counter : leg.interceptor_counters()) {
    if (counter.interceptor() == interceptor && counter.name() == name) {
      return counter.value();
    }
  }
  return 0;
}

pb::LimitUsage LimitOf(const pb::Node& node, absl::string_view name) {
  for (const pb::LimitUsage& limit : node.limits()) {
    if (limit.name() == name) {
      return limit;
    }
  }
  ADD_FAILURE() << "no limit " << name << " in " << node.DebugString();
  return {};
}

pb::UpdateLegRequest LegUpdateOf(absl::string_view session_id, absl::string_view leg_id,
                                 const pb::LegConfig& config,
                                 std::initializer_list<absl::string_view> paths) {
  pb::UpdateLegRequest request;
  request.set_session_id(std::string(session_id));
  request.set_leg_id(std::string(leg_id));
  *request.mutable_config() = config;
  for (const absl::string_view path : paths) {
    request.mutable_update_mask()->add_paths(std::string(path));
  }
  return request;
}

}  // namespace sluice
