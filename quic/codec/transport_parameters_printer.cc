#include "quic/codec/transport_parameters_printer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/byte_order.h"
#include "base/data_size.h"
#include "base/time_delta.h"
#include "quic/codec/connection_id.h"
#include "quic/codec/transport_parameter_table.h"
#include "quic/codec/transport_parameters.h"
#include "quic/codec/version_information.h"

namespace sluice {
namespace {

std::string Print(uint64_t count) { return absl::StrCat(count); }
std::string Print(DataSize size) { return absl::StrCat(size); }
std::string Print(TimeDelta time) { return absl::StrCat(time); }
std::string Print(bool) { return "yes"; }
std::string Print(const std::optional<ConnectionId>& id) { return absl::StrCat(*id); }
std::string Print(const std::optional<StatelessResetToken>&) {
  return absl::StrCat(kStatelessResetTokenSize, " secret bytes");
}

std::string Print(const std::optional<PreferredAddress>& address) {
  std::vector<std::string> parts;
  if (address->HasIpv4()) {
    parts.push_back(
        absl::StrCat(absl::StrJoin(address->ipv4_address, "."), ":", address->ipv4_port));
  }
  if (address->HasIpv6()) {
    std::vector<std::string> groups;
    for (size_t i = 0; i < address->ipv6_address.size(); i += 2) {
      groups.push_back(absl::StrFormat("%x", LoadBe16(address->ipv6_address.data() + i)));
    }
    parts.push_back(absl::StrCat("[", absl::StrJoin(groups, ":"), "]:", address->ipv6_port));
  }
  parts.push_back(absl::StrCat("id ", address->connection_id));
  return absl::StrJoin(parts, " ");
}

std::string Print(const std::optional<VersionInformation>& information) {
  std::string text = absl::StrFormat("%08x of", information->chosen().value());
  for (size_t i = 0; i < information->available_count(); ++i) {
    absl::StrAppendFormat(&text, " %08x", information->available(i).value());
  }
  return text;
}

}  // namespace

std::string PrintTransportParameters(const TransportParameters& parameters) {
  std::vector<std::string> parts;
  for (const TransportParameterRow& row : kTransportParameterTable) {
    if (!IsPresent(parameters, row)) continue;
    parts.push_back(
        absl::StrCat(row.name, "=",
                     std::visit([&](auto field) { return Print(parameters.*field); }, row.field)));
  }
  if (parameters.grease.has_value()) {
    parts.push_back(absl::StrFormat("reserved (%#x)=%u bytes", parameters.grease->id,
                                    parameters.grease->value_size));
  }
  return parts.empty() ? "(nothing)" : absl::StrJoin(parts, ", ");
}

}  // namespace sluice
