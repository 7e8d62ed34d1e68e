#include "gateway/control/interceptors_convert.h"

#include <optional>

namespace sluice {
namespace {

namespace pb = ::sluice::gateway::v1;

// One interceptor in the words of the API and of the core.
struct InterceptorRow {
  bool (pb::Interceptors::*has)() const;
  bool (pb::Interceptors::*get)() const;
  void (pb::Interceptors::*set)(bool);
  std::optional<bool> InterceptorConfig::*asked;
  bool InterceptorOptions::*in_force;
};
using In = pb::Interceptors;
using Asked = InterceptorConfig;
using Used = InterceptorOptions;
constexpr InterceptorRow kInterceptors[] = {
    {&In::has_reports, &In::reports, &In::set_reports, &Asked::reports, &Used::reports},
    {&In::has_statistics, &In::statistics, &In::set_statistics, &Asked::statistics,
     &Used::statistics},
    {&In::has_nack, &In::nack, &In::set_nack, &Asked::nack, &Used::nack},
    {&In::has_transport_wide_feedback, &In::transport_wide_feedback,
     &In::set_transport_wide_feedback, &Asked::transport_wide_feedback,
     &Used::transport_wide_feedback},
    {&In::has_congestion_control_feedback, &In::congestion_control_feedback,
     &In::set_congestion_control_feedback, &Asked::congestion_control_feedback,
     &Used::congestion_control_feedback},
    {&In::has_bandwidth_estimator, &In::bandwidth_estimator, &In::set_bandwidth_estimator,
     &Asked::bandwidth_estimator, &Used::bandwidth_estimator},
    {&In::has_key_frame_requests, &In::key_frame_requests, &In::set_key_frame_requests,
     &Asked::key_frame_requests, &Used::key_frame_requests},
    {&In::has_pacer, &In::pacer, &In::set_pacer, &Asked::pacer, &Used::pacer},
    {&In::has_jitter_buffer, &In::jitter_buffer, &In::set_jitter_buffer, &Asked::jitter_buffer,
     &Used::jitter_buffer},
    {&In::has_forward_error_correction, &In::forward_error_correction,
     &In::set_forward_error_correction, &Asked::forward_error_correction,
     &Used::forward_error_correction},
    {&In::has_redundancy, &In::redundancy, &In::set_redundancy, &Asked::redundancy,
     &Used::redundancy},
    {&In::has_packet_log, &In::packet_log, &In::set_packet_log, &Asked::packet_log,
     &Used::packet_log},
};

}  // namespace

InterceptorConfig ReadInterceptors(const pb::LegConfig& config, FieldViolations& violations) {
  const pb::Interceptors& in = config.interceptors();
  InterceptorConfig out;
  switch (in.rtcp()) {
    case pb::RTCP_HANDLING_UNSPECIFIED:
      break;
    case pb::RTCP_HANDLING_FORWARD:
      out.rtcp = RtcpHandling::kForward;
      break;
    case pb::RTCP_HANDLING_TERMINATE:
      out.rtcp = RtcpHandling::kTerminate;
      break;
    default:
      violations.Add("config.interceptors.rtcp",
                     "must be RTCP_HANDLING_FORWARD or RTCP_HANDLING_TERMINATE");
  }
  out.reduced_size_rtcp = in.reduced_size_rtcp();
  for (const InterceptorRow& row : kInterceptors) {
    if ((in.*row.has)()) {
      out.*row.asked = (in.*row.get)();
    }
  }
  return out;
}

void ToProto(const InterceptorOptions& options, pb::Interceptors& out) {
  out.set_rtcp(options.rtcp == RtcpHandling::kTerminate ? pb::RTCP_HANDLING_TERMINATE
                                                        : pb::RTCP_HANDLING_FORWARD);
  out.set_reduced_size_rtcp(options.reduced_size_rtcp);
  for (const InterceptorRow& row : kInterceptors) {
    (out.*row.set)(options.*row.in_force);
  }
}

}  // namespace sluice
