import { DurationSyntaxError, parseDuration } from '../../base/parse-duration.js';

/** `policy.D/check`: overrides the mesh config for the checks of a proxy. */
export type CheckMode = 'enable' | 'allow-on-error' | 'disable';

/**
 * Overrides of the policy settings of the mesh by node metadata `policy.D/…`
 * (docs/reference/policy-client.md#transport-settings). Absent keys are absent here too.
 */
export interface PolicyOverrides {
  readonly check?: CheckMode;
  readonly checkRetries?: number;
  /** At least 1, in whole milliseconds. */
  readonly checkBaseRetryWaitMs?: number;
  readonly checkMaxRetryWaitMs?: number;
}

/** Texts of node metadata or annotations, and the error for a rejected one. */
export interface MetadataTexts {
  /** Undefined for an absent or empty value. */
  text(key: string): string | undefined;
  /** @param wanted description of valid values */
  wrong(key: string, value: string, wanted: string, cause?: Error): Error;
}

const CHECK_MODES: readonly CheckMode[] = ['enable', 'allow-on-error', 'disable'];
/** Maximum of gRPC retries of one request: more would only load a server in trouble. */
const MAX_RETRIES = 100;
const LONGEST_WAIT_MS = 24 * 60 * 60 * 1000;

/**
 * Reads `policy.D/…` (docs/reference/xds.md#node, docs/reference/policy-client.md#transport-settings); undefined
 * without any.
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

/** Number of retries of a check, 0 to 100. */
export function readRetries({ text, wrong }: MetadataTexts, key: string): number | undefined {
  const value = text(key);
  if (value === undefined) return undefined;
  if (!/^\d{1,3}$/.test(value) || Number(value) > MAX_RETRIES) {
    throw wrong(key, value, `a whole number from 0 to ${MAX_RETRIES}`);
  }
  return Number(value);
}

/** A wait between attempts of a check, in whole milliseconds, 1 ms to 24 h. */
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
