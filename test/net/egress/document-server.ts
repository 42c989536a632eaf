import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { createTestAuthority } from '../../support/certificate-issuer.js';

/** An HTTPS server for `docs.test`, `other.test` and `inner.test`, at an address that only a rule lets fetch from. */
export interface DocumentServer {
  readonly port: number;
  readonly roots: readonly string[];
  /** Paths that were asked for. */
  readonly requests: readonly string[];
  url(path: string, host?: string): string;
}

export async function startDocumentServer(t: ExecutionContext, listener: RequestListener): Promise<DocumentServer> {
  const authority = createTestAuthority('web');
  const { certificate, key } = authority.issue({ dnsNames: ['docs.test', 'other.test', 'inner.test'] });
  const requests: string[] = [];
  const server = createServer({ cert: certificate, key }, (request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    roots: [authority.certificate],
    requests,
    url: (path, host = 'docs.test') => `https://${host}:${port}${path}`,
  };
}
