import { duration } from '../../../envoy/durations.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { fractionalPercent } from '../../../envoy/percent.js';
import type { Route } from '../../../generated/envoy/config/route/v3/Route.js';
import type { HTTPFault } from '../../../generated/envoy/extensions/filters/http/fault/v3/HTTPFault.js';
import type { Fault } from '../../../model/traffic/http-route.js';

const HTTP_FAULT = 'type.googleapis.com/envoy.extensions.filters.http.fault.v3.HTTPFault';

/** Settings of the fault filter for one route. */
export function faultOverride(
  encoder: MessageEncoder,
  { delay, abort }: Fault,
): NonNullable<Route['typedPerFilterConfig']> {
  const fault: HTTPFault = {
    ...(delay === undefined
      ? {}
      : { delay: { fixedDelay: duration(delay.delayMs), percentage: fractionalPercent(delay.percent) } }),
    ...(abort === undefined
      ? {}
      : {
          abort: {
            ...(abort.status.type === 'http' ? { httpStatus: abort.status.code } : { grpcStatus: abort.status.code }),
            percentage: fractionalPercent(abort.percent),
          },
        }),
  };
  return { 'envoy.filters.http.fault': encoder.packAny(HTTP_FAULT, fault) };
}
