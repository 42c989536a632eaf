import { createAttributeBag } from '../../src/policy/client/attribute-bag.js';
import { compileApiSpecs } from '../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../src/policy/client/compile-quota-specs.js';
import { deriveHttpAttributes, type HttpRequestFacts } from '../../src/policy/client/http-attributes.js';
import { percentile } from '../measure/statistics.js';
import { createCachingClient } from './cached-decisions.js';
import { createRuleDispatches } from './rule-dispatch.js';
import { compileRuleExpressions } from './rule-expressions.js';
import type { PolicyWorkload } from './workload.js';

/** How fast one step of a decision is. */
export interface StepResult {
  readonly step: string;
  readonly perSecond: number;
  /** Microseconds for one request, measured one by one; the clock's own cost is in it. */
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

/** Work on a request. Its result is used, so that V8 does not remove the work. */
type Step = (request: HttpRequestFacts) => number | Promise<number>;

/** Part of the given time that goes into compiling the code before anything is counted. */
const WARM_UP_SHARE = 0.2;

/**
 * Measures whole decisions (from the facts of a request to whether it may pass) and their parts, on one core. The policy
 * client has both caches; the policy server behind it, in the same process, allows everything.
 *
 * @param seconds for each step
 * @param nowMs a monotonic clock, in milliseconds with fractions
 */
export async function measureDecisions(
  workload: PolicyWorkload,
  seconds: number,
  nowMs: () => number,
): Promise<StepResult[]> {
  const api = compileApiSpecs([workload.apiSpec]);
  const quota = compileQuotaSpecs([workload.quotaSpec]);
  const bagOfRequest = (request: HttpRequestFacts) =>
    createAttributeBag({
      staticFilter: workload.staticFilter,
      staticRoute: workload.staticRoute,
      forwardedRoute: workload.forwarded,
      requestDerived: deriveHttpAttributes(request, api),
      ignoreForwarded: false,
      isGateway: false,
    });
  const bags = new Map(workload.requests.map((request) => [request, bagOfRequest(request)]));
  const expressions = compileRuleExpressions();
  const dispatches = createRuleDispatches();
  const bagOf = (request: HttpRequestFacts) => bags.get(request) ?? bagOfRequest(request);
  const client = createCachingClient();
  const decide: Step = async (request) => {
    const attributes = bagOfRequest(request);
    const decision = await client.check({ attributes, quotas: quota.chargesFor(attributes) });
    return decision.exhaustedQuotas.length;
  };
  const steps: readonly (readonly [string, Step])[] = [
    ['decision', decide],
    ['  charges, without the caches', (request) => quota.chargesFor(bagOfRequest(request)).length],
    ['  API operation', ({ method, target }) => api.attributesFor(method, target).size],
    ['  API key', ({ target, headers }) => api.apiKeyFor(target, headers)?.length ?? 0],
    ['  attribute bag, with both', (request) => (bagOfRequest(request).get('request.method') ? 1 : 0)],
    ['  quota rules', (request) => quota.chargesFor(bagOf(request)).length],
    ...expressions.map(([language, expression]): readonly [string, Step] => [
      `expression of a rule, ${language}`,
      (request) => (expression.matches(bagOf(request)) ? 1 : 0),
    ]),
    ...dispatches.map(({ name, dispatch }): readonly [string, Step] => [name, (request) => dispatch(bagOf(request))]),
  ];
  const results: StepResult[] = [];
  for (const [name, step] of steps) {
    results.push(await measureStep(name, step, workload.requests, seconds * 1000, nowMs));
  }
  await Promise.all([client, ...dispatches].map((each) => each.close()));
  return results;
}

async function measureStep(
  name: string,
  step: Step,
  requests: readonly HttpRequestFacts[],
  durationMs: number,
  nowMs: () => number,
): Promise<StepResult> {
  await runFor(durationMs * WARM_UP_SHARE, step, requests, nowMs);
  const { rounds, elapsedMs } = await runFor((durationMs * (1 - WARM_UP_SHARE)) / 2, step, requests, nowMs);
  const times: number[] = [];
  const end = nowMs() + (durationMs * (1 - WARM_UP_SHARE)) / 2;
  do {
    for (const request of requests) {
      const start = nowMs();
      const work = step(request);
      if (typeof work !== 'number') await work;
      times.push((nowMs() - start) * 1000);
    }
  } while (nowMs() < end);
  return {
    step: name,
    perSecond: (rounds * requests.length * 1000) / elapsedMs,
    p50Us: percentile(times, 50),
    p99Us: percentile(times, 99),
    maxUs: percentile(times, 100),
  };
}

async function runFor(durationMs: number, step: Step, requests: readonly HttpRequestFacts[], nowMs: () => number) {
  const start = nowMs();
  let rounds = 0;
  let work = 0;
  do {
    for (const request of requests) {
      const done = step(request);
      work += typeof done === 'number' ? done : await done;
    }
    rounds++;
  } while (nowMs() - start < durationMs);
  return { rounds, work, elapsedMs: nowMs() - start };
}
