import { DurationSyntaxError, parseDuration } from '../../config/parse-duration.js';

/** `policy.D/check`: what a proxy is told to do about checks, whatever the mesh config says. */
export type CheckMode = 'enable' | 'allow-on-error' | 'disable';

/**
 * What node metadata `policy.D/…` changes of the mesh's policy (docs/reference/policy-client.md#transport-settings).
 * Absent keys are absent.
 */
export interface PolicyOverrides {
  readonly check?: CheckMode;
  readonly checkRetries?: number;
  /** At least 1, in whole milliseconds. */
  readonly checkBaseRetryWaitMs?: number;
  readonly checkMaxRetryWaitMs?: number;
}

/** The texts of node metadata or annotations, and the error for one that cannot be used. */
export interface MetadataTexts {
  /** Undefined for an absent or empty value. */
  text(key: string): string | undefined;
  /** @param wanted what the value has to be */
  wrong(key: string, value: string, wanted: string, cause?: Error): Error;
}

const CHECK_MODES: readonly CheckMode[] = ['enable', 'allow-on-error', 'disable'];
/** gRPC retries of one request: more would only be load on a server that is in trouble already. */
const MAX_RETRIES = 100;
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * Reads `policy.D/…` (docs/reference/xds.md#node, docs/reference/policy-client.md#transport-settings); undefined when
 * none is there.
 */
export function readPolicyOverrides(metadata: MetadataTexts, meshDomain: string): PolicyOverrides | undefined {
  const prefix = `policy.${meshDomain}`;
  const check = readCheck(metadata, `${prefix}/check`);
  const checkRetries = readRetries(metadata, `${prefix}/checkRetries`);
  const checkBaseRetryWaitMs = readWait(metadata, `${prefix}/checkBaseRetryWaitTime`);
  const checkMaxRetryWaitMs = readWait(metadata, `${prefix}/checkMaxRetryWaitTime`);
  const overrides: PolicyOverrides = {
    ...(check !== undefined && { check }),
    ...(checkRetries !== undefined && { checkRetries }),
    ...(checkBaseRetryWaitMs !== undefined && { checkBaseRetryWaitMs }),
    ...(checkMaxRetryWaitMs !== undefined && { checkMaxRetryWaitMs }),
  };
  return Object.keys(overrides).length === 0 ? undefined : overrides;
}

function readCheck({ text, wrong }: MetadataTexts, key: string): CheckMode | undefined {
  const value = text(key);
  if (value === undefined) return undefined;
  const mode = CHECK_MODES.find((candidate) => candidate === value);
  if (mode === undefined) throw wrong(key, value, CHECK_MODES.join(', '));
  return mode;
}

/** How often a check is asked again, 0 to 100. */
export function readRetries({ text, wrong }: MetadataTexts, key: string): number | undefined {
  const value = text(key);
  if (value === undefined) return undefined;
  if (!/^\d{1,3}$/.test(value) || Number(value) > MAX_RETRIES) {
    throw wrong(key, value, `a whole number from 0 to ${MAX_RETRIES}`);
  }
  return Number(value);
}

/** A wait between attempts at a check, in whole milliseconds, 1 ms to 24 h. */
export function readWait({ text, wrong }: MetadataTexts, key: string): number | undefined {
  const value = text(key);
  if (value === undefined) return undefined;
  const wanted = 'a duration of whole milliseconds from 1ms to 24h, such as 80ms';
  try {
    const waitMs = parseDuration(value);
    if (Number.isInteger(waitMs) && waitMs >= 1 && waitMs <= LONGEST_WAIT_MS) return waitMs;
  } catch (error) {
    if (error instanceof DurationSyntaxError) throw wrong(key, value, wanted, error);
    throw error;
  }
  throw wrong(key, value, wanted);
}
