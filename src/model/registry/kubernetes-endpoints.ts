import { ipFamilyOf } from '../../base/ip-address.js';
import type { EndpointSliceBody, SliceEndpoint } from '../../config/core/endpoint-slice.js';
import type { EndpointsAddress, EndpointsBody } from '../../config/core/endpoints.js';
import type { MeshObject } from '../../config/object.js';
import type { Service } from '../service.js';
import type { EndpointCollector, ListedAddress, TargetPort } from './endpoint-collector.js';

export type EndpointsObject = MeshObject<'Endpoints', EndpointsBody>;
export type EndpointSlice = MeshObject<'EndpointSlice', EndpointSliceBody>;

/** @param publishNotReady whether the service also serves addresses that are not ready */
export function listEndpoints(object: EndpointsObject, publishNotReady: boolean, to: EndpointCollector): void {
  for (const { addresses, notReadyAddresses, ports } of object.body.subsets) {
    const served = ports.filter(({ protocol }) => protocol !== 'SCTP');
    for (const address of addresses) to.addListed(listedAddress(address, true), served);
    for (const address of notReadyAddresses) to.addListed(listedAddress(address, publishNotReady), served);
  }
}

function listedAddress({ ip, hostname = '', nodeName, targetRef }: EndpointsAddress, ready: boolean): ListedAddress {
  return { address: ip, ready, hostname, nodeName, targetRef };
}

/**
 * Slices of a dual-stack service list every pod once per address family. Each pod is served once, at its address in the
 * first family of the service.
 */
export function listSlices(
  slices: readonly EndpointSlice[],
  service: Service,
  publishNotReady: boolean,
  to: EndpointCollector,
): void {
  const family = familyOf(slices, service);
  for (const { body } of slices) {
    if (body.addressType !== family) continue;
    const ports: TargetPort[] = [];
    for (const { name, port, protocol } of body.ports) {
      if (port !== undefined && protocol !== 'SCTP') ports.push({ name, port });
    }
    for (const endpoint of body.endpoints) {
      const address = endpoint.addresses[0];
      // A terminating endpoint that serves no more is left out.
      if (address === undefined || (endpoint.conditions?.terminating === true && !publishNotReady)) continue;
      to.addListed(sliceAddress(endpoint, address, publishNotReady), ports);
    }
  }
}

function sliceAddress(endpoint: SliceEndpoint, address: string, publishNotReady: boolean): ListedAddress {
  const { conditions, hostname = '', nodeName, zone, targetRef } = endpoint;
  return { address, ready: publishNotReady || conditions?.ready !== false, hostname, nodeName, zone, targetRef };
}

function familyOf(slices: readonly EndpointSlice[], service: Service): 'IPv4' | 'IPv6' {
  const has = (family: 'IPv4' | 'IPv6'): boolean => slices.some(({ body }) => body.addressType === family);
  const own = service.addresses[0];
  const wanted = own !== undefined && ipFamilyOf(own) === 6 ? 'IPv6' : 'IPv4';
  const other = wanted === 'IPv4' ? 'IPv6' : 'IPv4';
  return has(wanted) || !has(other) ? wanted : other;
}
