import { isIpAddress } from '../../base/ip-address.js';
import { isFqdn } from '../primitives.js';
import type { Violation } from '../violation.js';
import type { EndpointSliceBody } from './endpoint-slice.js';
import type { EndpointsBody } from './endpoints.js';
import type { PodBody } from './pod.js';

/** Rules of addresses. One invalid address would make a proxy reject the whole cluster load assignment. */
export function validateEndpoints(body: EndpointsBody): readonly Violation[] {
  return body.subsets.flatMap((subset, index) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      subset[field].flatMap(({ ip }, at) => requireIp(ip, () => `subsets[${index}].${field}[${at}].ip`)),
    ),
  );
}

/** Rules of addresses in a slice, which all have one type. */
export function validateEndpointSlice(body: EndpointSliceBody): readonly Violation[] {
  return body.endpoints.flatMap((endpoint, index) => {
    if (endpoint.addresses.length === 0) {
      return [
        {
          path: `endpoints[${index}].addresses`,
          value: endpoint.addresses,
          message: 'has no address',
          remedy: 'give one, or remove the endpoint',
        },
      ];
    }
    return endpoint.addresses.flatMap((address, at) => {
      const path = (): string => `endpoints[${index}].addresses[${at}]`;
      return body.addressType === 'FQDN' ? requireFqdn(address, path) : requireIp(address, path, body.addressType);
    });
  });
}

/** Rules of a pod's addresses. An empty address means that the pod has no address yet. */
export function validatePod(body: PodBody): readonly Violation[] {
  const { podIP, podIPs } = body.status;
  return [
    ...(podIP === undefined || podIP === '' ? [] : requireIp(podIP, () => 'status.podIP')),
    ...podIPs.flatMap(({ ip }, index) => (ip === '' ? [] : requireIp(ip, () => `status.podIPs[${index}].ip`))),
  ];
}

function requireIp(address: string, path: () => string, type?: 'IPv4' | 'IPv6'): readonly Violation[] {
  if (!isIpAddress(address)) {
    return [
      { path: path(), value: address, message: 'is not an IP address', remedy: 'use for example 10.1.2.3 or fd00::1' },
    ];
  }
  const found = address.includes(':') ? 'IPv6' : 'IPv4';
  if (type === undefined || found === type) return [];
  return [
    {
      path: path(),
      value: address,
      message: `is an ${found} address in a slice of addressType ${type}`,
      remedy: `put it in a slice of addressType ${found}`,
    },
  ];
}

function requireFqdn(address: string, path: () => string): readonly Violation[] {
  if (isFqdn(address)) return [];
  return [{ path: path(), value: address, message: 'is not a DNS name', remedy: 'use a full DNS name' }];
}
