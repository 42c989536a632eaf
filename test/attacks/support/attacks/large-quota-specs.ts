import { booksService } from '../../../bootstrap/status/status-objects.js';
import type { Attack } from '../attack.js';
import { askMany, createPolicyCaller } from '../policy-caller.js';
import { createTenantClient } from '../tenant-client.js';
import { ATTACKERS } from '../tenants.js';

const SERVICE = `books.${ATTACKERS}.svc.cluster.local`;
const SPECS = 20;
/** Of one spec: as many as an object may have by its rules, and as many as its regular expressions allow. */
const RULES = [100, 13] as const;
const REQUESTS = 200;
const IN_FORCE_MS = 3_000;

/** QuotaSpecs of one tenant, each as large as one may be, for a service of the same tenant; then requests for it. */
export const attack: Attack = {
  title: `${SPECS} QuotaSpecs of one tenant, full of regular expressions, and requests`,
  async run(target, scale, signal) {
    const client = createTenantClient(target);
    await client.applyAll(booksService(ATTACKERS));
    for (const rules of RULES) {
      const specs = Array.from({ length: SPECS * scale }, (_, index) => quotaSpec(`large-${rules}-${index}`, rules));
      await client.applyAll(specs);
      await client.applyAll([binding(`large-${rules}`, specs)]);
    }
    client.close();
    const caller = createPolicyCaller(target, '127.0.0.23', target.credentials);
    // The policies come into force while requests are sent.
    const until = performance.now() + IN_FORCE_MS;
    const requests = function* () {
      for (let sent = 0; sent < REQUESTS * scale || performance.now() < until; sent++) {
        yield { service: SERVICE, apiKey: `key-${sent}` };
      }
    };
    const counts = await askMany(caller, requests(), 4, signal);
    caller.close();
    return `${SPECS * scale * RULES.length} specs; ${[...counts].map(([answer, count]) => `${count} ${answer.slice(0, 80)}`).join(', ')}`;
  },
};

function quotaSpec(name: string, rules: number) {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpec',
    metadata: { name, namespace: ATTACKERS },
    spec: {
      rules: Array.from({ length: rules }, (_, index) => ({
        match: [{ clause: { 'request.path': { regex: `/.{0,900}${name}${index}` } } }],
        quotas: [{ quota: `${name}-${index}`, charge: 1 }],
      })),
    },
  };
}

function binding(name: string, specs: readonly ReturnType<typeof quotaSpec>[]) {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'QuotaSpecBinding',
    metadata: { name, namespace: ATTACKERS },
    spec: {
      services: [{ name: 'books' }],
      quotaSpecs: specs.map(({ metadata }) => ({ name: metadata.name })),
    },
  };
}
