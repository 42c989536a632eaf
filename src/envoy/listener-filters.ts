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

/**
 * Recognises plaintext HTTP, so that filter chains can match on it.
 *
 * @param disabledPorts destination ports whose connections pass it by; the others wait for their first bytes
 */
export function httpInspectorFilter(encoder: MessageEncoder, disabledPorts: readonly number[]): ListenerFilter {
  const filter: ListenerFilter = {
    name: 'envoy.filters.listener.http_inspector',
    typedConfig: encoder.packAny(`${EXTENSIONS}.http_inspector.v3.HttpInspector`, {}),
  };
  const rules = disabledPorts.map((port): ListenerFilterChainMatchPredicate => {
    return { destinationPortRange: { start: port, end: port + 1 } };
  });
  const [only] = rules;
  if (only !== undefined) filter.filterDisabled = rules.length === 1 ? only : { orMatch: { rules } };
  return filter;
}
