/** The form of a limit of the policy server, as far as the configuration of proxies depends on it. */
export interface QuotaShape {
  /** As written in the configuration: `request.api_key`, `request.headers[x-user]`. */
  readonly dimensions: readonly string[];
  /** Whether only listed keys are accepted. Proxies do not know the list. */
  readonly hasKeyList: boolean;
}

/** By name of the quota. Empty where the policy server's limits are not known. */
export type QuotaShapes = ReadonlyMap<string, QuotaShape>;

export const NO_QUOTA_SHAPES: QuotaShapes = new Map();

export function isSameShapes(first: QuotaShapes, second: QuotaShapes): boolean {
  return first === second || textOf(first) === textOf(second);
}

function textOf(shapes: QuotaShapes): string {
  const entries = [...shapes].map(([quota, { dimensions, hasKeyList }]) => [quota, dimensions, hasKeyList] as const);
  return JSON.stringify(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}
