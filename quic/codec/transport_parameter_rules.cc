#include "quic/codec/transport_parameter_rules.h"

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "quic/codec/quic_version.h"
#include "quic/codec/transport_parameter_error.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

using Fault = TransportParameterFault;

bool IsInRange(const EndpointParameters& parameters, const TransportParameterRow& row) {
  const uint64_t number = NumberOf(parameters, row);
  return number >= row.range.min && number <= row.range.max;
}

// What is wrong with a row by itself.
std::optional<Fault> FaultOf(const TransportParameters& parameters,
                             const TransportParameterRow& row, Endpoint sender) {
  if (row.is_number()) {
    return IsInRange(parameters, row) ? std::nullopt : std::optional(Fault::kOutOfRange);
  }
  const bool allowed = sender == Endpoint::kServer || !row.server_only;
  if (IsPresent(parameters, row)) {
    return allowed ? std::nullopt : std::optional(Fault::kServerOnly);
  }
  return row.required && allowed ? std::optional(Fault::kMissing) : std::nullopt;
}

template <typename Member>
TransportParameterError ErrorOf(Member member, Fault fault) {
  return {fault, RowOf(member).id};
}

// RFC 9368 section 4: no version is 0, and what a client chose is among what it has available.
bool IsGoodFrom(Endpoint sender, const VersionInformation& information) {
  return information.chosen() != kVersionNegotiation &&
         !information.IsAvailable(kVersionNegotiation) &&
         (sender == Endpoint::kServer || information.IsAvailable(information.chosen()));
}

}  // namespace

std::optional<TransportParameterError> FindViolation(const TransportParameters& parameters,
                                                     Endpoint sender) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (const std::optional<Fault> fault = FaultOf(parameters, row, sender)) {
      return TransportParameterError{*fault, row.id};
    }
  }
  if (parameters.preferred_address.has_value()) {
    if (parameters.preferred_address->connection_id.empty()) {
      return ErrorOf(&ConnectionParameters::preferred_address, Fault::kWrongLength);
    }
    if (parameters.initial_source_connection_id->empty()) {
      return ErrorOf(&ConnectionParameters::preferred_address, Fault::kNeedsConnectionId);
    }
  }
  if (parameters.version_information.has_value() &&
      !IsGoodFrom(sender, *parameters.version_information)) {
    return ErrorOf(&ConnectionParameters::version_information, Fault::kOutOfRange);
  }
  return std::nullopt;
}

absl::Status CheckEndpointParameters(const EndpointParameters& parameters) {
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!row.is_number() || IsInRange(parameters, row)) continue;
    const absl::string_view unit = row.form() == ParameterForm::kBytes          ? " bytes"
                                   : row.form() == ParameterForm::kMilliseconds ? " ms"
                                                                                : "";
    const auto number = static_cast<int64_t>(NumberOf(parameters, row));
    return absl::InvalidArgumentError(absl::StrCat(row.name, " is ", number, unit, ", must be ",
                                                   row.range.min, "..", row.range.max, unit));
  }
  return absl::OkStatus();
}

}  // namespace sluice
