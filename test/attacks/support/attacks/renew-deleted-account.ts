import { credentials } from '@grpc/grpc-js';
import { createApiSender } from '../../../../src/kubernetes/client/api-sender.js';
import { loadClusterAccess } from '../../../../src/kubernetes/client/cluster-access.js';
import { createCertificateClient } from '../../../ca/service/certificate-client.js';
import { createOpenSsl, makeRequest } from '../../../ca/support/openssl.js';
import type { Attack } from '../attack.js';

const CALLERS = 20;
/** By then each watch of accounts has told of the deletion. */
const NOTICED_MS = 5_000;

/** A certificate of a deleted service account is renewed repeatedly. */
export const attack: Attack = {
  title: `${CALLERS} callers that renew the certificate of a deleted service account`,
  async run({ ports, root, serverName, credentials: own, kubeconfig }, scale, signal) {
    const undo: (() => unknown)[] = [];
    const openssl = await createOpenSsl({ teardown: (step: () => unknown) => undo.push(step) });
    const csr = await makeRequest(openssl, 'EC P-256');
    const access = await loadClusterAccess({ orchConfig: kubeconfig, environment: {} });
    const send = createApiSender(access, { userAgent: 'attacker', timeoutMs: 5_000 });
    await send({ method: 'DELETE', path: '/api/v1/namespaces/attackers/serviceaccounts/attacker' });
    access.close();
    const noticedAt = performance.now() + NOTICED_MS;
    const endAt = performance.now() + (this.durationMs ?? 10_000);
    let [calls, early, late] = [0, 0, 0];
    const channel = credentials.createSsl(Buffer.from(root), Buffer.from(own.key), Buffer.from(own.certificate));
    const callAgainAndAgain = async (): Promise<void> => {
      const client = createCertificateClient(ports.secureGrpc, channel, serverName);
      while (performance.now() < endAt && !signal.aborted) {
        const begun = performance.now();
        const { code } = await client.create({ csr });
        calls++;
        if (code === 'OK' && begun > noticedAt) late++;
        else if (code === 'OK') early++;
      }
      client.close();
    };
    await Promise.all(Array.from({ length: CALLERS * scale }, callAgainAndAgain));
    for (const step of undo) await step();
    if (late > 0) throw new Error(`${late} certificates were issued more than ${NOTICED_MS} ms after the deletion`);
    return `${calls} calls, ${early} certificates in the first moment after the deletion, none later`;
  },
};
