/**
 * Memory limits of compiled regular expressions, in bytes. Sizes are upper bounds that `regexSize` computes from
 * the text: about 300 bytes for each character, times the counted repetitions around it.
 */
export interface RegexLimits {
  /** One expression. Default: 640 KiB, about 2,000 instructions. */
  readonly expressionBytes: number;
  /** All expressions of one QuotaSpec or HTTPAPISpec. Default: 8 MiB, enough for 1,000 rules with an expression each. */
  readonly objectBytes: number;
  /** All different expressions of the specs that are bound to one service. Default: 16 MiB. */
  readonly serviceBytes: number;
  /** All expressions of the QuotaSpecs and HTTPAPISpecs of one namespace. Default: 32 MiB. */
  readonly namespaceBytes: number;
  /** All different expressions in the client configuration of one Check. Default: 2 MiB. */
  readonly messageBytes: number;
  /** All compiled programs in the policy server, with their growth by matching. Default: 64 MiB. */
  readonly programsBytes: number;
}

/** The limits of a policy server, which reads no objects. */
export type PolicyRegexLimits = Omit<RegexLimits, 'namespaceBytes' | 'objectBytes'>;

const MIB = 1024 * 1024;

export const DEFAULT_REGEX_LIMITS: RegexLimits = {
  expressionBytes: 640 * 1024,
  objectBytes: 8 * MIB,
  serviceBytes: 16 * MIB,
  namespaceBytes: 32 * MIB,
  messageBytes: 2 * MIB,
  programsBytes: 64 * MIB,
};

/** A size in messages: whole KiB, rounded up, so that a size above its limit never looks equal to it. */
export function formatKib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
