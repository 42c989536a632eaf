import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCleanup } from '../../bootstrap/support/cleanup.js';
import { reply, startFaultUpstream } from '../../dns/fault-upstream.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';
import type { PreparedServer } from './attack.js';

/** A name with an answer of 60 KiB. The server never answers for other names. */
export const HUGE_NAME = 'huge.example.org';

const TEXT = 'x'.repeat(255);
const TEXTS = 240;

/** An upstream server for DNS that an attacker controls, as the server of `DNS_SERVER`. */
export async function prepareDnsUpstream(): Promise<PreparedServer> {
  const cleanup = createCleanup();
  const folder = await mkdtemp(join(tmpdir(), 'navigator-attack-dns-'));
  cleanup.teardown(() => rm(folder, { recursive: true, force: true }));
  const certificate = createSelfSignedCertificate();
  const rootsFile = join(folder, 'roots.pem');
  await writeFile(rootsFile, certificate.certificate);
  const { port } = await startFaultUpstream(
    cleanup,
    (query) =>
      query.name === HUGE_NAME
        ? [reply(query, { answers: [{ type: 'TXT', name: HUGE_NAME, ttl: 3600, data: Array(TEXTS).fill(TEXT) }] })]
        : [],
    certificate,
  );
  const env = { DNS_SERVER: `tcp-tls:localhost:${port}`, NAV_DNS_SERVER_CA_FILE: rootsFile };
  return { env, close: cleanup.run };
}
