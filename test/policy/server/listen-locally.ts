import { systemClock } from '../../../src/base/clock.js';
import type { GrpcListenerSettings } from '../../../src/net/grpc-listener.js';
import { createGrpcGuard } from '../../../src/net/guard/grpc-guard.js';
import { DEFAULT_GRPC_LIMITS } from '../../../src/net/guard/grpc-limits.js';
import type { CallerReaders } from '../../../src/policy/server/callers/caller-reader.js';
import { createAccessLogService, createAuthorizationService } from '../../../src/policy/server/grpc/envoy-services.js';
import { createRateLimitQuotaService } from '../../../src/policy/server/grpc/quota-service.js';
import { createAnswerRequests } from '../../../src/policy/server/http/answer-requests.js';
import {
  createPolicyListener,
  type PolicyListener,
  type PolicyTls,
} from '../../../src/policy/server/policy-listener.js';
import type { PolicyServer } from '../../../src/policy/server/policy-server.js';
import { loopbackListener } from '../../support/grpc-listener.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

export interface LocalListenerOptions {
  readonly settings?: GrpcListenerSettings;
  readonly callers?: CallerReaders;
  readonly tls?: PolicyTls;
  readonly onRefused?: (reason: string) => void;
}

/** A policy server's own address on the loopback device, with the limits of a real one; not started. */
export function createLocalListener(server: PolicyServer, options: LocalListenerOptions = {}): PolicyListener {
  const { callers, onRefused = () => undefined, settings = loopbackListener(1_000_000), tls } = options;
  return createPolicyListener({
    settings,
    services: [
      createAuthorizationService(server, callers?.ofCall),
      createAccessLogService(server, createRecordingLogger(), callers?.ofCall),
      createRateLimitQuotaService(server.openShareStream, createRecordingLogger(), callers?.ofCall),
    ],
    answer: createAnswerRequests(server.httpChecks, callers?.ofConnection),
    tls,
    guard: createGrpcGuard(DEFAULT_GRPC_LIMITS, systemClock, () => undefined),
    clock: systemClock,
    onRefused,
  });
}
