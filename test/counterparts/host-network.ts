import type { Network, NetworkNamespace } from './network.js';

/**
 * Replaces network namespaces on machines without them: every "workload" is a loopback address, and no traffic is
 * captured. Only Linux has all of 127.0.0.0/8 on its loopback.
 */
export function createHostNetwork(): Network {
  const describe = (name: string, address: string): NetworkNamespace => ({
    name,
    address,
    pid: process.pid,
    enter: (command) => ['setpriv', '--pdeathsig', 'KILL', ...command],
  });
  return {
    mode: 'none',
    router: describe('router', '127.0.0.1'),
    addWorkload: async ({ name, address }) => describe(name, address),
    addRouterAddress: async () => undefined,
    silence: () => Promise.reject(new Error('addresses of the machine itself cannot be cut off')),
    close: async () => undefined,
  };
}
