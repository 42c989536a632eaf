import type { Clock } from '../../base/clock.js';
import type { PolicyHandler } from '../handlers/policy-handler.js';
import type { CallConfigs } from './call-configs.js';
import type { CheckedCall, CheckRight } from './callers/authorize-check.js';
import type { CompiledServices } from './compiled-services.js';
import type { ForwardedAttributes } from './forwarded-texts.js';
import type { Protocol } from './policy-server-metrics.js';
import type { RequestTexts } from './request-texts.js';

/** What deciding about a call needs beside the call. */
export interface CheckEnvironment {
  readonly configs: CallConfigs;
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  readonly requestTexts: RequestTexts;
  readonly handlers: Pick<PolicyHandler, 'check'>;
  readonly clock: Clock;
  /** A rule that cannot be used, or not in time, may have said more about a call. */
  readonly undecided: (protocol: Protocol, service: string | undefined) => void;
  /** A failure of our own while deciding: it has been turned into an answer. */
  readonly decisionFailed: (error: unknown) => void;
  /**
   * Holds a call against the identity of its caller.
   *
   * @throws CallerRefusedError
   */
  readonly authorize: (call: CheckedCall) => CheckRight;
}
