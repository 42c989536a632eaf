import type { ChannelCredentials } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import type { ConcurrencyLimits } from '../../../src/base/concurrency-limiter.js';
import { type CertificateAuthority, SigningError } from '../../../src/ca/authority/certificate-authority.js';
import { createLocalAuthority, type LocalAuthority } from '../../../src/ca/authority/local-authority.js';
import { createCertificateService } from '../../../src/ca/service/certificate-service.js';
import { readCertificateRequest } from '../../../src/ca/x509/certificate-request.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createSecuredRig, type SecuredRig, type SecuredRigOptions } from '../../xds/secured-rig.js';
import { DAY_MS, materialOf, selfSigned } from '../support/material.js';
import {
  type CertificateAnswer,
  type CertificateCall,
  type CertificateClient,
  createCertificateClient,
} from './certificate-client.js';

export interface CaRig {
  readonly secured: SecuredRig;
  readonly local: LocalAuthority;
  readonly logger: ReturnType<typeof createRecordingLogger>;
  /** Samples of ca_server_* families that are not zero, such as `csr_count 1`. */
  counts(): Promise<readonly string[]>;
  create(call: CreateCall): Promise<CertificateAnswer>;
}

export interface CreateCall extends CertificateCall {
  readonly channel: ChannelCredentials;
}

export interface CaRigOptions extends SecuredRigOptions {
  readonly limits?: ConcurrencyLimits;
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
  const clients: CertificateClient[] = [];
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
    create: ({ channel, ...call }) => {
      const client = createCertificateClient(secured.port, channel, 'meshd.test');
      clients.push(client);
      return client.create(call);
    },
  };
}

/** An authority that fails in one way. */
export function failing(code: SigningError['code'], message: string): (local: LocalAuthority) => CertificateAuthority {
  return (local) => ({ ...local, issue: () => Promise.reject(new SigningError(code, message)) });
}
