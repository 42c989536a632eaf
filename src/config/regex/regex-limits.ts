/**
 * How much memory compiled regular expressions may take, in bytes. Sizes are upper bounds that `regexSize` computes from
 * the text: about 300 bytes for each character, times the counted repetitions around it.
 */
export interface RegexLimits {
  /** One expression. Default 640 KiB, about 2,000 instructions. */
  readonly expressionBytes: number;
  /** All expressions of one QuotaSpec or HTTPAPISpec. Default 8 MiB: a thousand rules with an expression each. */
  readonly objectBytes: number;
  /** All different expressions of the specs that are bound to one service. Default 16 MiB. */
  readonly serviceBytes: number;
  /** All expressions of the QuotaSpecs and HTTPAPISpecs of one namespace. Default 32 MiB. */
  readonly namespaceBytes: number;
  /** All different expressions in the client configuration that one Check brings with it. Default 2 MiB. */
  readonly messageBytes: number;
  /** Programs that the policy server keeps compiled, with what matching makes them grow by. Default 64 MiB. */
  readonly programsBytes: number;
}

/** Those of a policy server, which reads no objects. */
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

/** A size as messages have it: whole KiB, rounded up, so that a size above its limit never reads as equal to it. */
export function formatKib(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
