import { duration } from '../../../envoy/durations.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import { fractionalPercent } from '../../../envoy/percent.js';
import { stringMatcher } from '../../../envoy/string-matcher.js';
import type { Route } from '../../../generated/envoy/config/route/v3/Route.js';
import type { CorsPolicy as EnvoyCorsPolicy } from '../../../generated/envoy/extensions/filters/http/cors/v3/CorsPolicy.js';
import type { HTTPFault } from '../../../generated/envoy/extensions/filters/http/fault/v3/HTTPFault.js';
import type { CorsPolicy, Fault, HttpRoute } from '../../../model/traffic/http-route.js';

const EXTENSIONS = 'type.googleapis.com/envoy.extensions.filters.http';

/** What the fault and the CORS filter do for a route; they do nothing for others. */
export function routeExtras(encoder: MessageEncoder, { fault, cors }: HttpRoute): Pick<Route, 'typedPerFilterConfig'> {
  const perFilter: NonNullable<Route['typedPerFilterConfig']> = {
    ...(fault === undefined
      ? {}
      : { 'envoy.filters.http.fault': encoder.packAny(`${EXTENSIONS}.fault.v3.HTTPFault`, faultConfig(fault)) }),
    ...(cors === undefined
      ? {}
      : { 'envoy.filters.http.cors': encoder.packAny(`${EXTENSIONS}.cors.v3.CorsPolicy`, corsConfig(cors)) }),
  };
  return Object.keys(perFilter).length === 0 ? {} : { typedPerFilterConfig: perFilter };
}

function faultConfig({ delay, abort }: Fault): HTTPFault {
  return {
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
}

function corsConfig({
  origins,
  methods,
  requestHeaders,
  exposedHeaders,
  maxAgeMs,
  allowsCredentials,
}: CorsPolicy): EnvoyCorsPolicy {
  return {
    allowOriginStringMatch: origins.map(stringMatcher),
    ...(methods.length === 0 ? {} : { allowMethods: methods.join() }),
    ...(requestHeaders.length === 0 ? {} : { allowHeaders: requestHeaders.join() }),
    ...(exposedHeaders.length === 0 ? {} : { exposeHeaders: exposedHeaders.join() }),
    ...(maxAgeMs === undefined ? {} : { maxAge: String(Math.floor(maxAgeMs / 1000)) }),
    ...(allowsCredentials === undefined ? {} : { allowCredentials: { value: allowsCredentials } }),
  };
}
