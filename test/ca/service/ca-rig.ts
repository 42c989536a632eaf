import { type ChannelCredentials, Client, Metadata, status } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import protobuf from 'protobufjs';
import { type CertificateAuthority, SigningError } from '../../../src/ca/authority/certificate-authority.js';
import { createLocalAuthority, type LocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { createCertificateService } from '../../../src/ca/service/certificate-service.js';
import type { TurnstileSettings } from '../../../src/ca/turnstile.js';
import { readCertificateRequest } from '../../../src/ca/x509/certificate-request.js';
import { systemClock } from '../../../src/telemetry/clock.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createSecuredRig, type SecuredRig, type SecuredRigOptions } from '../../xds/secured-rig.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';

/** The messages as any client has them: from the published file. */
const protos = protobuf.loadSync(new URL('../../../../proto/mesh/ca/v1/ca.proto', import.meta.url).pathname);
const requestType = protos.lookupType('mesh.ca.v1.MeshCertificateRequest');
const responseType = protos.lookupType('mesh.ca.v1.MeshCertificateResponse');
const PATH = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';

export interface CertificateAnswer {
  /** gRPC status, such as `OK`. */
  readonly code: string;
  readonly details: string;
  readonly chain: readonly string[];
}

export interface CaRig {
  readonly secured: SecuredRig;
  readonly local: LocalAuthority;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  /** Samples of ca_server_* families that are not zero, such as `csr_count 1`. */
  counts(): Promise<readonly string[]>;
  create(call: CreateCall): Promise<CertificateAnswer>;
}

export interface CreateCall {
  readonly channel: ChannelCredentials;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly csr?: string;
  /** Seconds, as text for what no number can be. */
  readonly validity?: number | string;
  /** In place of an encoded request. */
  readonly bytes?: Buffer;
}

export interface CaRigOptions extends SecuredRigOptions {
  readonly limits?: TurnstileSettings;
  /** Default: one that signs. */
  readonly authority?: (local: LocalAuthority) => CertificateAuthority;
}

/** CreateCertificate over real TLS and gRPC, with an authority of its own. */
export async function createCaRig(t: ExecutionContext, options: CaRigOptions = {}): Promise<CaRig> {
  const local = createLocalAuthority({
    clock: systemClock,
    ttls: { defaultMs: DAY_MS, maxMs: 90 * DAY_MS },
  });
  local.replace(materialOf(await selfSigned()));
  const registry = new Registry();
  const logger = createRecordingLogger();
  const secured = await createSecuredRig(t, {
    ...options,
    services: (authenticate) => [
      createCertificateService({
        authority: options.authority?.(local) ?? local,
        authenticate,
        readRequest: readCertificateRequest,
        isOwnTrustDomain: (trustDomain) => trustDomain === 'cluster.local',
        metrics: createMetrics(registry),
        clock: systemClock,
        logger,
        ...(options.limits === undefined ? {} : { limits: options.limits }),
      }),
    ],
  });
  const clients: Client[] = [];
  t.teardown(() => {
    for (const client of clients) client.close();
  });
  return {
    secured,
    local,
    logger,
    counts: async () => {
      const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('ca_server_'));
      return lines.map((line) => line.replace('ca_server_', '')).sort();
    },
    create: ({ channel, metadata = {}, csr = '', validity = 0, bytes }) => {
      const client = new Client(`127.0.0.1:${secured.port}`, channel, {
        'grpc.ssl_target_name_override': 'meshd.test',
        'grpc.use_local_subchannel_pool': 1,
      });
      clients.push(client);
      const sent = new Metadata();
      for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
      const request = requestType.encode(requestType.fromObject({ csr, validityDuration: validity })).finish();
      const same = (message: Buffer): Buffer => message;
      return new Promise((resolve) => {
        client.makeUnaryRequest(PATH, same, same, bytes ?? Buffer.from(request), sent, (error, answer) => {
          resolve({
            code: status[error?.code ?? status.OK],
            details: error?.details ?? '',
            chain: answer === undefined ? [] : readChain(answer),
          });
        });
      });
    },
  };
}

function readChain(answer: Buffer): readonly string[] {
  const { certChain } = responseType.toObject(responseType.decode(answer), { arrays: true });
  return certChain as readonly string[];
}

/** An authority that fails in one way. */
export function failing(code: SigningError['code'], message: string): (local: LocalAuthority) => CertificateAuthority {
  return (local) => ({ ...local, issue: () => Promise.reject(new SigningError(code, message)) });
}
