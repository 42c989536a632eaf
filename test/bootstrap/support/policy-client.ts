import { randomInt } from 'node:crypto';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  checkRequestBytes,
  httpCheck,
  httpConfigText,
  logMessageBytes,
  type ReadCheckResponse,
  readCheckResponse,
} from '../../policy/server/policy-server-rig.js';
import type { Teardown } from './cleanup.js';

const CHECK = '/envoy.service.auth.v3.Authorization/Check';
const LOGS = '/envoy.service.accesslog.v3.AccessLogService/StreamAccessLogs';
const HEALTH = '/grpc.health.v1.Health/Check';
/** HealthCheckResponse{status: SERVING}. */
const SERVING = Buffer.from([0x08, 0x01]);
const passThrough = (bytes: Buffer): Buffer => bytes;

/** Parts of a request beyond its service. */
export interface AskedRequest {
  /** Default: one with the API key `k1` in its query. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the caller. */
  readonly address?: string;
  /** Labels of the serving workload, as the control plane gives them to its proxy. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** An Envoy's side of a policy server. */
export interface PolicyClient {
  /** Asks about a new request to the service; 200 for one that passes, else the status that its caller gets. */
  ask(service: string, request?: AskedRequest): Promise<number>;
  /** The whole answer. */
  check(service: string, request?: AskedRequest): Promise<ReadCheckResponse>;
  isServing(): Promise<boolean>;
  /** Sends access log messages on one stream, which ends with the test. */
  log(...messages: readonly object[]): void;
}

/** Speaks to the policy server at a loopback port; its connection ends with the test. */
export function connectPolicyClient(t: Teardown, port: number): PolicyClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.max_reconnect_backoff_ms': 200,
    'grpc.initial_reconnect_backoff_ms': 50,
  });
  t.teardown(() => client.close());
  // As Envoy's stream ids, which differ between proxies as well: what comes with the same one is charged once.
  let streamId = BigInt(randomInt(2 ** 40)) << 20n;
  const call = (path: string, bytes: Buffer, metadata = new Metadata()): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, passThrough, passThrough, bytes, metadata, (error: ServiceError | null, answer) => {
        if (answer === undefined) reject(error);
        else resolve(answer);
      });
    });
  const check: PolicyClient['check'] = async (service, { path, headers, address, labels } = {}) => {
    const metadata = new Metadata();
    metadata.set('x-mesh-service', service);
    const attributes = { 'destination.labels': { stringMapValue: { entries: labels ?? {} } } };
    metadata.set(
      'x-mesh-client-config',
      httpConfigText(labels === undefined ? {} : { mixerAttributes: { attributes } }),
    );
    const http = { id: String(++streamId), host: service, ...(path && { path }), ...(headers && { headers }) };
    const source = { address: { socketAddress: { address, portValue: 41362 } } };
    const bytes = checkRequestBytes(httpCheck(http, address === undefined ? {} : { source }));
    return readCheckResponse(await call(CHECK, bytes, metadata));
  };
  return {
    check,
    log: (...messages) => {
      const stream = client.makeClientStreamRequest(LOGS, passThrough, passThrough, () => undefined);
      t.teardown(() => stream.cancel());
      for (const message of messages) stream.write(logMessageBytes(message));
    },
    ask: async (service, request) => {
      const { status, deniedResponse } = await check(service, request);
      return status.code === 0 ? 200 : Number(deniedResponse?.status.code);
    },
    isServing: async () => (await call(HEALTH, Buffer.alloc(0))).equals(SERVING),
  };
}
