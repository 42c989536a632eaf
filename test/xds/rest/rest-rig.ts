import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import type { XdsLimits } from '../../../src/xds/limits/xds-limits.js';
import { readNode } from '../../../src/xds/node-wire.js';
import type { ProxySession } from '../../../src/xds/proxy-session.js';
import { createRestDiscovery, type RestSettings } from '../../../src/xds/rest/rest-discovery.js';
import { createRig, proxyOf, type Rig } from '../session-rig.js';

export const NODE = { id: 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local' };

export interface RestAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Of an answer 200. */
  readonly version: string;
  /** `name=body` of the resources. */
  readonly bodies: readonly string[];
}

export interface RestRig extends Rig {
  readonly port: number;
  readonly closed: ProxySession[];
  /** Polls; the answer comes when the server gives it. */
  poll(path: string, body: object | string, options?: PollOptions): Promise<RestAnswer>;
  stop(): void;
}

export interface PollOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const SETTINGS: RestSettings = { pollMs: 20_000, leaseMs: 60_000, maxMessageBytes: 1 << 20, isOpen: true };

/** Envoy announces its timeout; these polls wait for 20 seconds of the rig's clock. */
const PATIENT = { 'x-envoy-expected-rq-timeout-ms': '60000' };

/**
 * REST discovery over real HTTP; resources are `name=body` of the rig's content.
 *
 * @param turn when the turn of requests comes
 */
export async function startRestRig(
  t: ExecutionContext,
  settings: Partial<RestSettings> = {},
  limits: Partial<XdsLimits> = {},
  turn: Promise<void> = Promise.resolve(),
): Promise<RestRig> {
  const rig = createRig({ limits });
  const { runner } = rig.environment;
  const closed: ProxySession[] = [];
  const rest = createRestDiscovery({
    settings: { ...SETTINGS, ...settings },
    environment: {
      ...rig.environment,
      readProxy: (node) => proxyOf(readNode(node).id),
      runner: { ...runner, runInTurn: (owner, work) => turn.then(() => runner.runInTurn(owner, work)) },
    },
    hooks: {
      closed: (session) => {
        closed.push(session);
        rig.distributor.remove(session);
        rig.sessions.delete(session);
      },
    },
    json: { resourceToJson: (resource) => bodyOf(resource) },
  });
  const server = createServer((request, response) => {
    if (!rest.handle(request, response)) response.writeHead(599).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    rest.stop();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { ...rig, port, closed, stop: rest.stop, poll: (...args) => post(port, ...args) };
}

function bodyOf({ entry }: EncodedResource): string {
  return /[a-z]=\w+/.exec(entry.toString('latin1'))?.[0] ?? '';
}

function post(port: number, path: string, body: object | string, options: PollOptions = {}): Promise<RestAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { method = 'POST', headers = {}, signal } = options;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        ...{ port, host: '127.0.0.1', path, method, agent: false },
        headers: { 'content-type': 'application/json', ...PATIENT, ...headers },
        ...(signal && { signal }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0 } = response;
          const answer = Buffer.concat(chunks).toString();
          const { versionInfo = '', resources = [] } = status === 200 ? JSON.parse(answer) : {};
          resolve({ status, headers: response.headers, text: answer, version: versionInfo, bodies: resources });
        });
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}
