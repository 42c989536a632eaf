import {
  exceptOnPorts,
  httpInspectorFilter,
  onPortsOnly,
  originalDstFilter,
  tlsInspectorFilter,
} from '../../../envoy/listener-filters.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { ListenerFilter } from '../../../generated/envoy/config/listener/v3/ListenerFilter.js';
import { modeOfPort, type WorkloadMutualTls } from '../../../model/security/mutual-tls.js';
import { type InboundPort, VIRTUAL_INBOUND_PORT } from './inbound-ports.js';

/**
 * Listener filters that inspect the first bytes of a connection before Envoy selects its chain. They skip ports of
 * known protocol without TLS, whose clients would wait for nothing.
 */
export function inboundListenerFilters(
  encoder: MessageEncoder,
  ports: readonly InboundPort[],
  mutualTls: WorkloadMutualTls,
  sniff: boolean,
): ListenerFilter[] {
  const filters = [originalDstFilter(encoder)];
  const tls = tlsInspection(encoder, ports, mutualTls);
  if (tls !== undefined) filters.push(tls);
  if (sniff) {
    const known = ports.filter((port) => port.traffic !== 'sniffed').map((port) => port.targetPort);
    filters.push(exceptOnPorts(httpInspectorFilter(encoder), [...known, VIRTUAL_INBOUND_PORT]));
  }
  return filters;
}

/** The same for the listener of one port that the proxy binds. */
export function boundListenerFilters(
  encoder: MessageEncoder,
  { targetPort, traffic }: InboundPort,
  mutualTls: WorkloadMutualTls,
  sniff: boolean,
): ListenerFilter[] {
  const filters: ListenerFilter[] = [];
  if (modeOfPort(mutualTls, targetPort) !== 'DISABLE') filters.push(tlsInspectorFilter(encoder));
  if (sniff && traffic === 'sniffed') filters.push(httpInspectorFilter(encoder));
  return filters;
}

function tlsInspection(
  encoder: MessageEncoder,
  ports: readonly InboundPort[],
  mutualTls: WorkloadMutualTls,
): ListenerFilter | undefined {
  const own = new Set([...ports.map(({ targetPort }) => targetPort), ...mutualTls.ports.keys()]);
  const takesTls = (port: number): boolean => modeOfPort(mutualTls, port) !== 'DISABLE';
  const sorted = [...own].filter((port) => port !== VIRTUAL_INBOUND_PORT).sort((first, second) => first - second);
  if (mutualTls.mode !== 'DISABLE') {
    const without = sorted.filter((port) => !takesTls(port));
    return exceptOnPorts(tlsInspectorFilter(encoder), [...without, VIRTUAL_INBOUND_PORT]);
  }
  const taking = sorted.filter(takesTls);
  return taking.length === 0 ? undefined : onPortsOnly(tlsInspectorFilter(encoder), taking);
}
