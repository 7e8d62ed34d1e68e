#include "quic/tls/application_protocols.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "quic/codec/transport_parameters_encoder.h"
#include "quic/codec/transport_parameters_template.h"
#include "quic/tls/ngtcp2_parameters.h"

namespace sluice {
namespace {

std::vector<uint8_t> EarlyDataContextOf(const ApplicationProtocol& protocol) {
  TransportParametersBuffer buffer;
  const absl::Span<const uint8_t> remembered =
      EncodeRememberedParameters(protocol.parameters, buffer);
  // A length before the first part, so that no two pairs give the same bytes.
  std::vector<uint8_t> context;
  context.push_back(static_cast<uint8_t>(remembered.size() >> 8));
  context.push_back(static_cast<uint8_t>(remembered.size()));
  context.insert(context.end(), remembered.begin(), remembered.end());
  context.insert(context.end(), protocol.early_data_epoch.begin(), protocol.early_data_epoch.end());
  return context;
}

bool IsName(absl::Span<const uint8_t> bytes, absl::string_view name) {
  if (bytes.size() != name.size()) return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != static_cast<uint8_t>(name[i])) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<ApplicationProtocols> ApplicationProtocols::Create(
    std::vector<ApplicationProtocol> protocols) {
  if (protocols.empty() || protocols.size() > kMaxProtocols) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", protocols.size(), " application protocols, not 1 to ", kMaxProtocols));
  }
  std::vector<Entry> entries;
  for (ApplicationProtocol& protocol : protocols) {
    if (protocol.name.empty() || protocol.name.size() > kMaxNameSize) {
      return absl::InvalidArgumentError(absl::StrCat("an application protocol's name has ",
                                                     protocol.name.size(), " bytes, not 1 to ",
                                                     kMaxNameSize));
    }
    for (const Entry& other : entries) {
      if (other.protocol.name == protocol.name) {
        return absl::InvalidArgumentError(
            absl::StrCat("application protocol ", protocol.name, " is there twice"));
      }
    }
    const absl::Status status = CheckNgtcp2Parameters(protocol.parameters);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("application protocol ", protocol.name, ": ", status.message()));
    }
    absl::StatusOr<TransportParametersTemplate> encoded =
        TransportParametersTemplate::Create(protocol.parameters);
    if (!encoded.ok()) return encoded.status();
    std::vector<uint8_t> context = EarlyDataContextOf(protocol);
    entries.push_back({std::move(protocol), *std::move(encoded), std::move(context)});
  }
  return ApplicationProtocols(std::move(entries));
}

ApplicationProtocols::ApplicationProtocols(std::vector<Entry> entries)
    : entries_(std::move(entries)) {
  for (const Entry& entry : entries_) {
    const std::string& name = entry.protocol.name;
    offer_.push_back(static_cast<uint8_t>(name.size()));
    offer_.insert(offer_.end(), name.begin(), name.end());
  }
}

const ApplicationProtocols::Entry* ApplicationProtocols::Select(
    absl::Span<const uint8_t> offered) const {
  for (const Entry& entry : entries_) {
    for (absl::Span<const uint8_t> rest = offered; !rest.empty();) {
      const size_t size = rest.front();
      if (rest.size() < 1 + size) break;
      if (IsName(rest.subspan(1, size), entry.protocol.name)) return &entry;
      rest.remove_prefix(1 + size);
    }
  }
  return nullptr;
}

const ApplicationProtocols::Entry* ApplicationProtocols::Find(absl::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.protocol.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace sluice
