import { parseDuration } from '../../../base/parse-duration.js';
import { isRpcCode, rpcCodeNumber } from '../../../base/rpc-code.js';
import type { HeadersSpec } from '../../../config/networking/virtual-service-destination.js';
import type { CorsSpec, FaultSpec, RetrySpec } from '../../../config/networking/virtual-service-http.js';
import { parseRetryOn } from '../../../config/networking/virtual-service-retry-rules.js';
import { DEFAULT_RETRIES, OTHER_HOST_ATTEMPTS } from '../default-retries.js';
import type { HeaderChanges, HeaderOperations, RetryPolicy } from '../http-action.js';
import type { CorsPolicy, Fault } from '../http-route.js';
import { textOf } from './http-conditions.js';

/** Undefined for no retries. */
export function translateRetries(spec: RetrySpec | undefined): RetryPolicy | undefined {
  if (spec === undefined) return DEFAULT_RETRIES;
  const { attempts, perTryTimeout, retryOn = '', retryRemoteLocalities } = spec;
  if (attempts === 0) return undefined;
  const { conditions, statusCodes } = parseRetryOn(retryOn);
  const isDefault = conditions.length === 0 && statusCodes.length === 0;
  const hasCodes = statusCodes.length > 0 && !conditions.includes('retriable-status-codes');
  return {
    ...(isDefault
      ? DEFAULT_RETRIES
      : { conditions: hasCodes ? [...conditions, 'retriable-status-codes'] : conditions, statusCodes }),
    attempts,
    otherHostAttempts: OTHER_HOST_ATTEMPTS,
    ...(perTryTimeout === undefined ? {} : { perTryTimeoutMs: parseDuration(perTryTimeout) }),
    ...(retryRemoteLocalities === true ? { remoteLocalities: true } : {}),
  };
}

/** A share in percent; absent for everything. */
export function shareOf(
  percentage: { readonly value?: number | undefined } | undefined,
  percent: number | undefined,
): number {
  return percentage === undefined ? (percent ?? 100) : (percentage.value ?? 0);
}

export function translateFault({ delay, abort }: FaultSpec): Fault {
  return {
    ...(delay?.fixedDelay === undefined
      ? {}
      : { delay: { delayMs: parseDuration(delay.fixedDelay), percent: shareOf(delay.percentage, delay.percent) } }),
    ...(abort === undefined ? {} : abortOf(abort)),
  };
}

function abortOf({ httpStatus, grpcStatus, percentage }: NonNullable<FaultSpec['abort']>): Pick<Fault, 'abort'> {
  const percent = shareOf(percentage, undefined);
  if (httpStatus !== undefined) return { abort: { status: { type: 'http', code: httpStatus }, percent } };
  if (!isRpcCode(grpcStatus)) return {};
  return { abort: { status: { type: 'grpc', code: rpcCodeNumber(grpcStatus) }, percent } };
}

export function translateCors(spec: CorsSpec): CorsPolicy {
  const {
    allowOrigin = [],
    allowOrigins = [],
    allowMethods,
    allowHeaders,
    exposeHeaders,
    maxAge,
    allowCredentials,
  } = spec;
  return {
    origins: [
      ...allowOrigin.map((value) => ({ type: 'exact', value }) as const),
      ...allowOrigins.flatMap((origin) => textOf(origin) ?? []),
    ],
    methods: allowMethods ?? [],
    requestHeaders: allowHeaders ?? [],
    exposedHeaders: exposeHeaders ?? [],
    ...(maxAge === undefined ? {} : { maxAgeMs: parseDuration(maxAge) }),
    ...(allowCredentials === undefined ? {} : { allowsCredentials: allowCredentials }),
  };
}

/** Undefined if nothing changes. */
export function translateHeaders(spec: HeadersSpec | undefined): HeaderChanges | undefined {
  const [request, response] = [operationsOf(spec?.request), operationsOf(spec?.response)];
  if (request === undefined && response === undefined) return undefined;
  return { ...(request === undefined ? {} : { request }), ...(response === undefined ? {} : { response }) };
}

function operationsOf({ set = {}, add = {}, remove = [] }: NonNullable<HeadersSpec['request']> = {}) {
  const operations: HeaderOperations = {
    ...(Object.keys(set).length === 0 ? {} : { set: sorted(set) }),
    ...(Object.keys(add).length === 0 ? {} : { add: sorted(add) }),
    ...(remove.length === 0 ? {} : { remove }),
  };
  return Object.keys(operations).length === 0 ? undefined : operations;
}

function sorted(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).sort(([first], [second]) => (first < second ? -1 : 1)));
}
