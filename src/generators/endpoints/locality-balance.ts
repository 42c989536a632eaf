import type { LocalityPolicy } from '../../model/traffic/cluster-policy.js';

/** The locality of a caller and the policy of the cluster that it calls. */
export interface LocalityBalance {
  /** `region/zone/subzone`; empty when unknown, which leaves all localities alike. */
  readonly callerLocality: string;
  readonly policy: LocalityPolicy;
}

/** The endpoints of one locality as a whole. */
export interface LocalityShare {
  readonly locality: string;
  /** Sum of the weights of its endpoints. */
  readonly weight: number;
}

/** The share of a locality after balancing. */
export interface BalancedShare {
  readonly weight: number;
  /** Endpoints of a higher number get requests only when those of lower numbers are unhealthy. */
  readonly priority: number;
}

/** Percent weights of a policy are multiplied by this before they are divided among localities. */
const SCALE = 10_000;

/**
 * Weight and priority of each locality; undefined for a locality that gets no requests. A caller without a locality, or
 * that no `distribute` rule names, sees all localities alike.
 */
export function balanceLocalities(
  shares: readonly LocalityShare[],
  { callerLocality, policy }: LocalityBalance,
): readonly (BalancedShare | undefined)[] {
  const alike = shares.map(({ weight }) => ({ weight, priority: 0 }));
  if (callerLocality === '') return alike;
  if (policy.type === 'failover') return prioritise(shares, callerLocality, policy.rules);
  const rule = policy.rules.find(({ from }) => matches(from, callerLocality));
  return rule === undefined ? alike : distribute(shares, rule.to);
}

/** The localities that one pattern matches share its weight in proportion to their own weights. */
function distribute(
  shares: readonly LocalityShare[],
  weights: Readonly<Record<string, number>>,
): readonly (BalancedShare | undefined)[] {
  const patterns = Object.entries(weights);
  // The most specific pattern decides.
  const patternOf = ({ locality }: LocalityShare) =>
    patterns
      .filter(([pattern]) => matches(pattern, locality))
      .reduce<(typeof patterns)[number] | undefined>(
        (best, each) => (best === undefined || each[0].length > best[0].length ? each : best),
        undefined,
      );
  const chosen = shares.map(patternOf);
  const totals = new Map<string, number>();
  shares.forEach(({ weight }, index) => {
    const pattern = chosen[index]?.[0];
    if (pattern !== undefined) totals.set(pattern, (totals.get(pattern) ?? 0) + weight);
  });
  return shares.map(({ weight }, index) => {
    const [pattern, percent] = chosen[index] ?? ['', 0];
    if (percent === 0) return undefined;
    const share = (SCALE * percent * weight) / (totals.get(pattern) ?? weight);
    return { weight: Math.max(1, Math.round(share)), priority: 0 };
  });
}

/** The nearer a locality, the lower its number; numbers without a locality are left out, for Envoy refuses gaps. */
function prioritise(
  shares: readonly LocalityShare[],
  callerLocality: string,
  rules: readonly { readonly from: string; readonly to: string }[],
): readonly BalancedShare[] {
  const [ownRegion = '', ownZone, ownSubzone] = callerLocality.split('/');
  const next = rules.find(({ from }) => from === ownRegion)?.to;
  const distances = shares.map(({ locality }) => {
    const [region, zone, subzone] = locality.split('/');
    if (region !== ownRegion) return region === next ? 3 : 4;
    if (zone !== ownZone) return 2;
    return subzone === ownSubzone ? 0 : 1;
  });
  const known = [...new Set(distances)].sort((first, second) => first - second);
  return shares.map(({ weight }, index) => ({ weight, priority: known.indexOf(distances[index] ?? 0) }));
}

/** Whether a locality is the pattern's, or below it: `*` is all of them, `region/*` those of a region. */
function matches(pattern: string, locality: string): boolean {
  if (pattern === '*' || pattern === locality) return true;
  return pattern.endsWith('/*')
    ? locality.startsWith(pattern.slice(0, -1)) || locality === pattern.slice(0, -2)
    : locality.startsWith(`${pattern}/`);
}
