import type { Port, Service } from '../../model/service.js';
import { trafficClass } from '../traffic-class.js';

/**
 * The port of a service that a Sidecar's listener leads to: the port of the same number, else the only port of the
 * service. Undefined for services with several other ports, and for an HTTP listener where that port takes no HTTP.
 *
 * @param at port of the listener, number 0 for a unix socket
 * @param sniff NAV_ENABLE_PROTOCOL_SNIFFING_FOR_OUTBOUND
 */
export function portBehind({ ports }: Service, at: Port, sniff: boolean): Port | undefined {
  const usable = ports.filter(({ protocol }) => {
    const traffic = trafficClass(protocol, sniff);
    if (trafficClass(at.protocol, sniff) === 'http') return traffic === 'http' || traffic === 'sniffed';
    return traffic !== 'none';
  });
  return usable.find(({ number }) => number === at.number) ?? (usable.length === 1 ? usable[0] : undefined);
}
