import {
  checkRequestBytes,
  httpCheck,
  httpConfigText,
  readCheckResponse,
} from '../../policy/server/policy-server-rig.js';
import type { AttackTarget } from './attack.js';
import { callUnary, type Http2Address, openHttp2 } from './raw-http2.js';

const CHECK = '/envoy.service.auth.v3.Authorization/Check';

/** One request as a sidecar asks about it. */
export interface AskedRequest {
  readonly service: string;
  readonly apiKey: string;
  /** The proxy's own configuration; empty counts as inbound. */
  readonly configText?: string;
  /** Where requests of several kinds are sent: `askMany` counts `<label>: <answer>`. */
  readonly label?: string;
}

/** A connection that sends Checks. */
export interface PolicyCaller {
  /**
   * `granted`, `exhausted` (a quota refuses), `shed` (the server had no time to decide, so nothing was charged and the fail
   * policy answered), `denied: …`, or the status of a failed call such as `7 the caller …`.
   */
  ask(request: AskedRequest): Promise<string>;
  close(): void;
}

const EXHAUSTED = 8;

/** @param credentials of the certificate to show; plaintext without any */
export function createPolicyCaller(
  { host, ports, root, serverName }: AttackTarget,
  from: string,
  credentials?: AttackTarget['credentials'],
): PolicyCaller {
  const tls = credentials && { ca: root, servername: serverName, cert: credentials.certificate, key: credentials.key };
  const address: Http2Address = { host, port: ports.policy, from, ...(tls && { tls }) };
  let session = openHttp2(address);
  let id = BigInt(Date.now()) << 20n;
  return {
    ask: async ({ service, apiKey, configText = httpConfigText({}) }) => {
      if (session.destroyed || session.closed) session = openHttp2(address);
      const headers = { ':path': '/', 'x-api-key': apiKey };
      const bytes = checkRequestBytes(httpCheck({ id: String(++id), path: '/', host: service, headers }));
      const metadata = { 'x-mesh-service': service, 'x-mesh-client-config': configText };
      try {
        const { status, dynamicMetadata } = readCheckResponse(await callUnary(session, CHECK, bytes, metadata));
        if (dynamicMetadata.fields['overloaded']?.['boolValue'] === true) return 'shed';
        if (status.code === 0) return 'granted';
        return status.code === EXHAUSTED ? 'exhausted' : `denied: ${status.message}`;
      } catch (error) {
        return error instanceof Error ? error.message.replace(`${CHECK}: `, '') : String(error);
      }
    },
    close: () => session.destroy(),
  };
}

/** Asks many times, several requests at once. @returns how many answers there were of each kind */
export async function askMany(
  caller: PolicyCaller,
  requests: Iterable<AskedRequest>,
  atOnce: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const remaining = requests[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = remaining.next(); !next.done && !signal.aborted; next = remaining.next()) {
      const { label } = next.value;
      const answered = await caller.ask(next.value);
      const answer = label === undefined ? answered : `${label}: ${answered}`;
      counts.set(answer, (counts.get(answer) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return counts;
}
