import type { ObjectKey } from '../../config/object.js';
import type { PolicyJudgement } from '../../generators/authorization/judge-request.js';
import { uncheckedReason } from '../../model/policy/explain-policy.js';
import { ownFailPolicyOf } from '../../model/policy/own-fail-policy.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { AskedRequest } from './asked-request.js';
import type { ExplainedCharge } from './explain-quotas.js';
import type { ExplainedService } from './explain-request.js';
import type { CountedLimit, CountingHandler, ExplainedCall, ExplainedRule } from './explain-rules.js';

/** An answer that the caller can get, and the reason. */
export interface Answer {
  /** HTTP status; `closed`: the connection is closed, and the caller's proxy answers 503. */
  readonly status: number | 'closed';
  /** `certain`: this answer is the only one. `possible`: the condition in `because` decides. */
  readonly certainty: 'certain' | 'possible';
  readonly because: string;
  /** Objects that decide, as `Kind/namespace/name`. */
  readonly objects: readonly string[];
}

/** Answers in the order in which proxies decide: route, endpoints, mutual TLS, token, authorization, policy. */
export function answersFor(
  context: PushContext,
  request: AskedRequest,
  service: Service | undefined,
  explained: ExplainedService | undefined,
): readonly Answer[] {
  if (service === undefined || explained === undefined) return [unknownHost(context)];
  const answers: readonly Answer[] = [
    ...unserved(request, service, explained),
    ...refusedPeer(request, explained),
    ...refusedToken(explained),
    ...forbidden(explained),
    ...refusedByPlans(context, explained),
    ...refusedByRules(context, explained),
    ...refusedByPolicy(context, service, explained),
    { status: 200, certainty: 'possible', because: 'otherwise the application answers', objects: [] },
  ];
  // Nothing decides after a refusal that is certain.
  const end = answers.findIndex(({ certainty }) => certainty === 'certain');
  return end === -1 ? answers : answers.slice(0, end + 1);
}

function unknownHost({ mesh }: PushContext): Answer {
  const blocks = mesh.outboundTrafficPolicy === 'REGISTRY_ONLY';
  return {
    status: blocks ? 502 : 200,
    certainty: 'possible',
    because: blocks
      ? 'the mesh has no service for this host, and outboundTrafficPolicy of the mesh config is REGISTRY_ONLY; a ServiceEntry adds the host'
      : 'the mesh has no service for this host: sidecars pass the request through to its original address, unchecked',
    objects: [],
  };
}

function unserved(
  { port }: AskedRequest,
  { ports, resolution }: Service,
  { endpoints, object }: ExplainedService,
): readonly Answer[] {
  const objects = object === undefined ? [] : [object];
  if (!ports.some(({ number }) => number === port)) {
    const known = ports.map(({ number }) => number).join(', ');
    return [
      {
        status: 503,
        certainty: 'possible',
        because: `the service has no port ${port}; its ports are ${known}`,
        objects,
      },
    ];
  }
  if (resolution !== 'endpoints' || endpoints.healthy > 0) return [];
  const because =
    endpoints.all === 0
      ? 'the service has no endpoint: no ready pod matches its selector'
      : `none of its ${endpoints.all} endpoints is healthy`;
  return [{ status: 503, certainty: 'certain', because, objects }];
}

function refusedPeer({ caller }: AskedRequest, { mutualTls }: ExplainedService): readonly Answer[] {
  if (mutualTls !== 'STRICT' || caller !== undefined) return [];
  const because =
    'the workload takes only mutual TLS, and the caller has no certificate of the mesh (--from says who calls)';
  return [{ status: 'closed', certainty: 'certain', because, objects: [] }];
}

function refusedToken({ requestAuthentications: objects }: ExplainedService): readonly Answer[] {
  if (objects.length === 0) return [];
  return [{ status: 401, certainty: 'possible', because: 'a token that the request carries is invalid', objects }];
}

/** The order of Envoy's filters: DENY, then ALLOW. AUDIT only records. */
function forbidden({ authorization: { verdict } }: ExplainedService): readonly Answer[] {
  const answer = (certainty: Answer['certainty'], because: string, by: readonly PolicyJudgement[]): Answer => ({
    status: 403,
    certainty,
    because,
    objects: by.map(({ object }) => object),
  });
  switch (verdict.type) {
    case 'allowed':
      return [];
    case 'denied':
      return [answer('certain', REFUSALS[verdict.because], verdict.by)];
    case 'open':
      return [
        ...(verdict.deny.length === 0
          ? []
          : [
              answer('possible', `a rule of these policies denies the request; ${needsOf(verdict.deny)}`, verdict.deny),
            ]),
        ...(verdict.allow === undefined
          ? []
          : [
              answer(
                'possible',
                `no rule of these policies allows the request; ${needsOf(verdict.allow)}`,
                verdict.allow,
              ),
            ]),
      ];
  }
}

const REFUSALS = {
  denied: 'a rule of these policies denies the request',
  notAllowed: 'the workload has ALLOW policies, and no rule of them allows the request',
  tooLarge: 'the policies of the workload are larger than 1 MiB together, so it rejects everything',
} as const;

/** How a user gives what a rule needs. */
const GIVEN_BY: Readonly<Record<string, string>> = { 'source.principal': '--from', 'source.ip': '--ip' };

function needsOf(judged: readonly PolicyJudgement[]): string {
  const needs = new Set(judged.flatMap(({ match }) => (match.type === 'open' ? match.needs : [])));
  const texts = Array.from(needs, (need) => (need in GIVEN_BY ? `${need} (${GIVEN_BY[need]})` : need));
  return `this depends on ${texts.join(', ')}`;
}

/** Plans refuse before rules and quotas are asked. */
function refusedByPlans({ mesh }: PushContext, { plans: { plans, verdict } }: ExplainedService): readonly Answer[] {
  if (uncheckedReason(mesh, { type: 'sidecar', metadata: {} }, 'inbound') !== undefined) return [];
  const refused = (status: number, because: string, certainty: Answer['certainty'] = 'certain'): readonly Answer[] => [
    { status, certainty, because, objects: plans },
  ];
  switch (verdict) {
    case 'none':
    case 'admitted':
      return [];
    case 'noKey':
      return refused(401, 'the request has no API key, and no plan of the service allows that');
    case 'unknownKey':
      return refused(401, 'no consumer of the plans has the API key of the request');
    case 'notIncluded':
      return refused(403, 'the plan of the API key does not include the request');
    case 'undecided':
      return refused(401, 'no consumer has the API key; this depends on the keys in Secrets', 'possible');
  }
}

/** The first refusal of a rule is the answer. */
function refusedByRules({ mesh }: PushContext, { rules }: ExplainedService): readonly Answer[] {
  if (uncheckedReason(mesh, { type: 'sidecar', metadata: {} }, 'inbound') !== undefined) return [];
  return rules.matching.filter(({ isDryRun }) => !isDryRun).flatMap(refusalsOf);
}

/**
 * The answers that objects in a dry run would give. They are no answers: the request passes.
 */
export function dryRunAnswers({ mesh }: PushContext, { rules, quotas }: ExplainedService): readonly Answer[] {
  if (uncheckedReason(mesh, { type: 'sidecar', metadata: {} }, 'inbound') !== undefined) return [];
  return [
    ...rules.matching.filter(({ isDryRun }) => isDryRun).flatMap(refusalsOf),
    ...quotas.charges.filter(({ isDryRun }) => isDryRun).map(exhausted),
  ];
}

function refusalsOf({ object, open, calls }: ExplainedRule): readonly Answer[] {
  return calls.flatMap((call) => refusalOf(object, open ?? call.open, call));
}

/** @param open why it is not known whether the handler is called */
function refusalOf(rule: ObjectKey, open: string | undefined, call: ExplainedCall): readonly Answer[] {
  const { handler, instance, variety, answer } = call;
  if (variety !== 'check' || answer?.status === 200) return [];
  const objects = [rule, handler, instance];
  if (answer === undefined) {
    const because = `the handler of the rule refuses the request${open === undefined ? '' : `; this depends on: ${open}`}`;
    return [{ status: 403, certainty: 'possible', because, objects }];
  }
  const because = `a rule refuses the request: ${answer.message}`;
  if (open === undefined) return [{ status: answer.status, certainty: 'certain', because, objects }];
  return [{ status: answer.status, certainty: 'possible', because: `${because}; this depends on: ${open}`, objects }];
}

function refusedByPolicy(
  { mesh }: PushContext,
  service: Service,
  { plans, quotas, rules }: ExplainedService,
): readonly Answer[] {
  const off = uncheckedReason(mesh, { type: 'sidecar', metadata: {} }, 'inbound');
  const hasChecks = rules.matching.some(({ calls }) => calls.some(({ variety }) => variety === 'check'));
  const asked = plans.plans.length + quotas.charges.length + quotas.undecided.length;
  if (off !== undefined || (!hasChecks && asked === 0)) return [];
  const failPolicy =
    ownFailPolicyOf(service, mesh.policy)?.policy ?? (mesh.policy.policyCheckFailOpen ? 'FAIL_OPEN' : 'FAIL_CLOSE');
  const ofPlan = plans.limits.map(
    ({ name, requests, per, of }): Answer => ({
      status: 429,
      certainty: requests === 0 ? 'certain' : 'possible',
      because: `limit ${name} of the plan is reached: ${requests} requests per ${per} for each ${of}`,
      objects: plans.plan === undefined ? [] : [plans.plan],
    }),
  );
  const ofQuotas = quotas.charges.filter(({ isDryRun }) => !isDryRun).map(exhausted);
  const answers = [...ofPlan, ...ofQuotas];
  const open = failPolicy === 'FAIL_CLOSE';
  return open
    ? [
        ...answers,
        {
          status: 503,
          certainty: 'possible',
          because: 'the policy server cannot be reached or decide, and the fail policy is FAIL_CLOSE',
          objects: [],
        },
      ]
    : answers;
}

function exhausted(charged: ExplainedCharge): Answer {
  return {
    status: 429,
    certainty: 'possible',
    because: limitText(charged),
    objects: [charged.object, ...charged.countedBy.map(({ handler }) => handler)],
  };
}

function limitText({ quota, charge, limit, countedBy }: ExplainedCharge): string {
  const head = `quota ${quota} is exhausted; this request charges ${charge}`;
  const byRules = countedBy.length === 0 ? '' : `; ${countedBy.map(countedText).join(' and ')}`;
  if (byRules !== '' && (limit === undefined || limit === 'none')) return `${head}${byRules}`;
  if (limit === undefined) return `${head}; --policyConfig shows the limit`;
  if (limit === 'none') return `${head}; the policy server's file has no limit for it, so it is always granted`;
  return `${head} of ${amountText(limit)}${limit.isOverride ? ' (an override)' : ''}${byRules}`;
}

function countedText({ handler, limit }: CountingHandler): string {
  return limit === undefined ? `${handler} has the limit` : `${handler} grants ${amountText(limit)}`;
}

function amountText({ maxAmount, validDurationMs, counter }: CountedLimit): string {
  const values = Object.entries(counter).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const whose = values.length === 0 ? 'all requests' : values.join(', ');
  return `${maxAmount} in ${validDurationMs / 1000} s for ${whose}`;
}
