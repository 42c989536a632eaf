import type { WireResponseFlags } from './envoy-messages.js';

/** Envoy's short name of each flag, as its text access log writes them. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  failedLocalHealthcheck: 'LH',
  noHealthyUpstream: 'UH',
  upstreamRequestTimeout: 'UT',
  localReset: 'LR',
  upstreamRemoteReset: 'UR',
  upstreamConnectionFailure: 'UF',
  upstreamConnectionTermination: 'UC',
  upstreamOverflow: 'UO',
  noRouteFound: 'NR',
  delayInjected: 'DI',
  faultInjected: 'FI',
  rateLimited: 'RL',
  unauthorizedDetails: 'UAEX',
  rateLimitServiceError: 'RLSE',
  downstreamConnectionTermination: 'DC',
  upstreamRetryLimitExceeded: 'URX',
  streamIdleTimeout: 'SI',
  invalidEnvoyRequestHeaders: 'IH',
  downstreamProtocolError: 'DPE',
  upstreamMaxStreamDurationReached: 'UMSDR',
  responseFromCacheFilter: 'RFCF',
  noFilterConfigFound: 'NFCF',
  durationTimeout: 'DT',
  upstreamProtocolError: 'UPE',
  noClusterFound: 'NC',
  overloadManager: 'OM',
  dnsResolutionFailure: 'DF',
  downstreamRemoteReset: 'DR',
};

/** `context.proxy_error_code`: the short names of the errors, with commas; undefined without an error. */
export function proxyErrorCode(flags: WireResponseFlags | null | undefined): string | undefined {
  if (flags === undefined || flags === null) return undefined;
  const names = Object.keys(SHORT_NAMES).flatMap((flag) => (flags[flag] ? [SHORT_NAMES[flag] ?? ''] : []));
  return names.length === 0 ? undefined : names.join(',');
}

/** Whether the proxy refused the request or connection because of its Check. */
export function isRefused(flags: WireResponseFlags | null | undefined): boolean {
  return Boolean(flags?.['unauthorizedDetails']);
}
