import { validateLabels } from '../read-metadata.js';
import { childPath, type Violation } from '../violation.js';
import type { PeerAuthenticationSpec } from './peer-authentication.js';

const PORT = /^[1-9]\d{0,4}$/;

/** Rules of a PeerAuthentication that its schema cannot express (BEHAVIOUR 7, "PeerAuthentication"). */
export function validatePeerAuthentication(spec: PeerAuthenticationSpec): readonly Violation[] {
  return [...validateSelector(spec), ...validatePorts(spec)];
}

/** A selector that names no label selects every workload: nobody writes that to mean "some of them". */
function validateSelector({ selector }: PeerAuthenticationSpec): readonly Violation[] {
  if (selector === undefined) return [];
  const path = 'selector.matchLabels';
  return Object.entries(selector.matchLabels).flatMap(([key, value]) => {
    const wildcard = [key, value].find((text) => text.includes('*'));
    if (wildcard === undefined) return validateLabels({ [key]: value }, path);
    return [
      {
        path: childPath(path, key),
        value,
        message: `has "*" in its ${wildcard === key ? 'key' : 'value'}, which matches no wildcard`,
        remedy: 'write the label as the workloads have it, or leave the selector out to mean all workloads',
      },
    ];
  });
}

function validatePorts({ selector, portLevelMtls }: PeerAuthenticationSpec): readonly Violation[] {
  if (portLevelMtls === undefined) return [];
  const ports = Object.keys(portLevelMtls);
  const violations: Violation[] = [];
  if (selector === undefined || Object.keys(selector.matchLabels).length === 0) {
    violations.push({
      path: 'portLevelMtls',
      value: portLevelMtls,
      message: 'is set without labels in selector, so that it would concern ports of every workload',
      remedy: 'name the workloads in selector.matchLabels, or remove portLevelMtls and set mtls',
    });
  }
  if (ports.length === 0) {
    violations.push({
      path: 'portLevelMtls',
      value: portLevelMtls,
      message: 'names no port',
      remedy: 'name a port with its mode, or remove portLevelMtls',
    });
  }
  for (const port of ports) {
    if (PORT.test(port) && Number(port) <= 65535) continue;
    violations.push({
      path: childPath('portLevelMtls', port),
      value: port,
      message: 'is not a port number',
      remedy: 'use the number that the workload listens on, 1 to 65535',
    });
  }
  return violations;
}
