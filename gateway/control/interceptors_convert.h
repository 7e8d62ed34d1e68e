#ifndef GATEWAY_CONTROL_INTERCEPTORS_CONVERT_H_
#define GATEWAY_CONTROL_INTERCEPTORS_CONVERT_H_

#include "gateway/control/field_violations.h"
#include "gateway/leg/interceptor_options.h"
#include "proto/gateway/v1/leg.pb.h"

namespace sluice {

// What a controller asks for at `config.interceptors`; absent: nothing. Whether it goes together
// with what was negotiated is the leg's to say. What is wrong is added to `violations`, and then
// the answer is not to be used.
InterceptorConfig ReadInterceptors(const gateway::v1::LegConfig& config,
                                   FieldViolations& violations);

// Every field is set, also those that are off.
void ToProto(const InterceptorOptions& options, gateway::v1::Interceptors& out);

}  // namespace sluice

#endif  // GATEWAY_CONTROL_INTERCEPTORS_CONVERT_H_
