import type { ListenerFilter } from '../generated/envoy/config/listener/v3/ListenerFilter.js';
import type { ListenerFilterChainMatchPredicate } from '../generated/envoy/config/listener/v3/ListenerFilterChainMatchPredicate.js';
import type { MessageEncoder } from './message-encoder.js';

const EXTENSIONS = 'type.googleapis.com/envoy.extensions.filters.listener';

/** Restores the address that the client connected to, before redirection. */
export function originalDstFilter(encoder: MessageEncoder): ListenerFilter {
  return {
    name: 'envoy.filters.listener.original_dst',
    typedConfig: encoder.packAny(`${EXTENSIONS}.original_dst.v3.OriginalDst`, {}),
  };
}

/** Recognises TLS and reads its server name, so that filter chains can match on them. */
export function tlsInspectorFilter(encoder: MessageEncoder): ListenerFilter {
  return {
    name: 'envoy.filters.listener.tls_inspector',
    typedConfig: encoder.packAny(`${EXTENSIONS}.tls_inspector.v3.TlsInspector`, {}),
  };
}

/** Recognises plaintext HTTP, so that filter chains can match on it. */
export function httpInspectorFilter(encoder: MessageEncoder): ListenerFilter {
  return {
    name: 'envoy.filters.listener.http_inspector',
    typedConfig: encoder.packAny(`${EXTENSIONS}.http_inspector.v3.HttpInspector`, {}),
  };
}

/** Matches these destination ports. Their connections skip the filter, and do not wait for the first bytes. */
export function exceptOnPorts(filter: ListenerFilter, ports: readonly number[]): ListenerFilter {
  const predicate = onAnyPort(ports);
  return predicate === undefined ? filter : { ...filter, filterDisabled: predicate };
}

/** Matches all other destination ports. Their connections skip the filter. @param ports one or more */
export function onPortsOnly(filter: ListenerFilter, ports: readonly number[]): ListenerFilter {
  const predicate = onAnyPort(ports);
  return predicate === undefined ? filter : { ...filter, filterDisabled: { notMatch: predicate } };
}

function onAnyPort(ports: readonly number[]): ListenerFilterChainMatchPredicate | undefined {
  const rules = ports.map((port): ListenerFilterChainMatchPredicate => {
    return { destinationPortRange: { start: port, end: port + 1 } };
  });
  return rules.length > 1 ? { orMatch: { rules } } : rules[0];
}
