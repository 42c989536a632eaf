import type { RpcCode } from '../../base/rpc-code.js';

/** An object in a dry run that would have refused a request. */
export interface DryRunRefusal {
  readonly by: 'rule' | 'quota';
  /** Key of the rule, or name of the quota. */
  readonly name: string;
  readonly code: Exclude<RpcCode, 'OK'>;
}

/** Refusals in the text for reports. Further ones are only counted. */
const MAX_TOLD = 8;

/** The attribute `check.dry_run`: `rule/shop/accounts PERMISSION_DENIED,quota reads RESOURCE_EXHAUSTED`. */
export function dryRunText(refusals: readonly DryRunRefusal[]): string {
  return refusals
    .slice(0, MAX_TOLD)
    .map(({ by, name, code }) => `${by === 'rule' ? name : `quota ${name}`} ${code}`)
    .join();
}
