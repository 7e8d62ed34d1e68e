#include "gateway/leg/interceptor_options.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gateway/errors/error_detail.h"

namespace sluice {
namespace {

// What the media description says.
struct Negotiated {
  bool any_feedback = false;
  bool nack = false;
  bool key_frames = false;
  bool transport_wide = false;
  bool congestion_control = false;
  bool flexfec = false;
  bool redundancy = false;
};

Negotiated Read(absl::Span<const PayloadDescription> payload_types,
                absl::Span<const HeaderExtension> extensions) {
  Negotiated result;
  for (const PayloadDescription& type : payload_types) {
    const StreamFeedback& feedback = type.feedback;
    result.nack |= feedback.nack;
    result.key_frames |= feedback.picture_loss_indication || feedback.full_intra_request;
    result.transport_wide |= feedback.transport_wide;
    result.congestion_control |= feedback.congestion_control;
    result.any_feedback |= feedback.nack || feedback.picture_loss_indication ||
                           feedback.full_intra_request || feedback.receiver_estimate ||
                           feedback.transport_wide || feedback.congestion_control;
    result.flexfec |= absl::EqualsIgnoreCase(type.encoding_name, "flexfec-03");
    result.redundancy |= absl::EqualsIgnoreCase(type.encoding_name, "red");
  }
  result.transport_wide =
      result.transport_wide &&
      std::any_of(extensions.begin(), extensions.end(), [](const HeaderExtension& extension) {
        return extension.uri == kTransportSequenceUri;
      });
  return result;
}

constexpr absl::string_view kNeedsTermination =
    "needs RTCP_HANDLING_TERMINATE: the gateway writes RTCP of its own only where it is the peer's "
    "RTCP partner";

// One switch: what is asked for, what it is without that, and whether and why it can be on.
struct Switch {
  absl::string_view field;
  std::optional<bool> asked;
  bool by_default;
  bool possible;
  absl::string_view needs;
  bool InterceptorOptions::*option;
};

// One that is on where RTCP is terminated and its feedback was negotiated.
Switch FeedbackSwitch(absl::string_view field, std::optional<bool> asked, bool terminates,
                      bool negotiated, absl::string_view needs, bool InterceptorOptions::*option) {
  const bool possible = negotiated && terminates;
  return {field, asked, possible, possible, negotiated ? kNeedsTermination : needs, option};
}

std::array<Switch, 10> Switches(const InterceptorConfig& config, const Negotiated& negotiated,
                                bool terminates) {
  using Options = InterceptorOptions;
  return {{
      {"reports", config.reports, terminates, terminates, kNeedsTermination, &Options::reports},
      FeedbackSwitch("nack", config.nack, terminates, negotiated.nack,
                     "needs a payload type with rtcp_feedback \"nack\"", &Options::nack),
      FeedbackSwitch("transport_wide_feedback", config.transport_wide_feedback, terminates,
                     negotiated.transport_wide,
                     "needs a payload type with rtcp_feedback \"transport-cc\" and the header "
                     "extension of the transport-wide sequence number",
                     &Options::transport_wide_feedback),
      FeedbackSwitch("congestion_control_feedback", config.congestion_control_feedback, terminates,
                     negotiated.congestion_control,
                     "needs a payload type with rtcp_feedback \"ack ccfb\"",
                     &Options::congestion_control_feedback),
      FeedbackSwitch("key_frame_requests", config.key_frame_requests, terminates,
                     negotiated.key_frames,
                     "needs a payload type with rtcp_feedback \"nack pli\" or \"ccm fir\"",
                     &Options::key_frame_requests),
      {"pacer", config.pacer, false, true, "", &Options::pacer},
      {"jitter_buffer", config.jitter_buffer, false, true, "", &Options::jitter_buffer},
      {"forward_error_correction", config.forward_error_correction, negotiated.flexfec,
       negotiated.flexfec, "needs a payload type with encoding_name \"flexfec-03\"",
       &Options::forward_error_correction},
      {"redundancy", config.redundancy, false, negotiated.redundancy,
       "needs a payload type with encoding_name \"red\"", &Options::redundancy},
      {"packet_log", config.packet_log, false, true, "", &Options::packet_log},
  }};
}

}  // namespace

bool InterceptorOptions::any() const {
  InterceptorOptions none;
  // How RTCP looks is for nobody to work on.
  none.rtcp = rtcp;
  none.reduced_size_rtcp = reduced_size_rtcp;
  return *this != none;
}

absl::StatusOr<InterceptorOptions> ResolveInterceptors(
    const InterceptorConfig& config, absl::Span<const PayloadDescription> payload_types,
    absl::Span<const HeaderExtension> extensions) {
  const Negotiated negotiated = Read(payload_types, extensions);
  InterceptorOptions options;
  const bool terminate = negotiated.any_feedback || config.reports.value_or(false);
  options.rtcp =
      config.rtcp.value_or(terminate ? RtcpHandling::kTerminate : RtcpHandling::kForward);
  options.reduced_size_rtcp = config.reduced_size_rtcp;
  const bool terminates = options.rtcp == RtcpHandling::kTerminate;
  const auto set = [&](const Switch& row) -> absl::Status {
    options.*row.option = row.asked.value_or(row.by_default);
    return options.*row.option && !row.possible
               ? InvalidField(absl::StrCat("config.interceptors.", row.field), row.needs)
               : absl::OkStatus();
  };
  for (const Switch& row : Switches(config, negotiated, terminates)) {
    if (absl::Status status = set(row); !status.ok()) {
      return status;
    }
  }
  const bool reported = options.transport_wide_feedback || options.congestion_control_feedback;
  if (absl::Status status =
          set({"bandwidth_estimator", config.bandwidth_estimator, reported, reported,
               "needs transport_wide_feedback or congestion_control_feedback",
               &InterceptorOptions::bandwidth_estimator});
      !status.ok()) {
    return status;
  }
  options.statistics = config.statistics.value_or(terminates || options.any());
  return options;
}

}  // namespace sluice
