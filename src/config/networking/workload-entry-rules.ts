import { isIpAddress } from '../../base/ip-address.js';
import { isDnsLabel, isFqdn, isObjectName, isUnixAddress } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { childPath, type Violation } from '../violation.js';
import type { WorkloadEntrySpec } from './workload-entry.js';

/** Rules of a WorkloadEntry that its schema cannot express (docs/reference/validation-rules.md#workloadentry). */
export function validateWorkloadEntry(entry: WorkloadEntrySpec): readonly Violation[] {
  return [
    ...validateAddress(entry.address),
    ...validateWorkloadPorts(entry),
    ...validateLabels(entry.labels, 'labels'),
    ...validateLocality(entry.locality),
    ...validateServiceAccount(entry.serviceAccount),
  ];
}

function validateAddress(address: string): readonly Violation[] {
  if (isIpAddress(address) || isUnixAddress(address) || isFqdn(address)) return [];
  return [
    {
      path: 'address',
      value: address,
      message: 'is not an address',
      remedy: 'use an IP address, a DNS name, or unix:///path',
    },
  ];
}

function validateWorkloadPorts(entry: WorkloadEntrySpec): readonly Violation[] {
  const names = Object.keys(entry.ports);
  if (entry.address.startsWith('unix:') && names.length > 0) {
    return [
      {
        path: 'ports',
        value: entry.ports,
        message: 'is set for a unix socket, which has no ports',
        remedy: 'remove ports, or use an IP address',
      },
    ];
  }
  return names
    .filter((name) => !isDnsLabel(name))
    .map((name) => ({
      path: childPath('ports', name),
      message: 'is not a valid port name',
      remedy: 'use at most 63 letters, digits and hyphens',
    }));
}

function validateLocality(locality: string): readonly Violation[] {
  const parts = locality.split('/');
  if (parts.length <= 3 && (locality === '' || parts[0] !== '')) return [];
  return [
    {
      path: 'locality',
      value: locality,
      message: 'is not a locality',
      remedy: 'use region, region/zone or region/zone/subzone',
    },
  ];
}

function validateServiceAccount(serviceAccount: string): readonly Violation[] {
  if (serviceAccount === '' || isObjectName(serviceAccount)) return [];
  return [
    {
      path: 'serviceAccount',
      value: serviceAccount,
      message: 'is not the name of a service account',
      remedy: 'give its name without the namespace: lower-case letters, digits, hyphens and dots',
    },
  ];
}
