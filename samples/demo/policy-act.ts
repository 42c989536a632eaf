import type { HttpAnswer } from '../../test/counterparts/agent/calls.js';
import { eventually } from '../../test/support/eventually.js';
import type { Narrator } from './narrator.js';
import type { ApiCall, Shop } from './shop.js';
import { POLICY_FILE, type Stage } from './stage.js';

const LIST: Omit<ApiCall, 'key'> = { method: 'GET', path: '/titles?author=le-guin' };
const READ: Omit<ApiCall, 'key'> = { method: 'GET', path: '/titles/9780441478125' };
const ORDER: Omit<ApiCall, 'key'> = { method: 'POST', path: '/titles/9780441478125/orders' };

/** Who calls what how often. The quotas are those of samples/policy.yaml. */
const CONSUMERS = [
  { key: 'alice', what: 'lists titles', operation: 'list-titles', call: LIST, times: 12 },
  { key: 'reading-room', what: 'reads a title', operation: 'read-title', call: READ, times: 12 },
  { key: 'bob', what: 'orders a title', operation: 'order-title', call: ORDER, times: 3 },
] as const;

/** Writes the sample's policies, and waits until the API's operations are known where requests are checked. */
export async function applyPolicy(narrator: Narrator, { mesh, policyText }: Stage, shop: Shop): Promise<void> {
  const writtenAt = performance.now();
  await mesh.discovery.configFolder.writeText(POLICY_FILE, policyText);
  await waitUntilCharged(shop, 'first-consumer');
  narrator.done(`written, read and in force within ${Math.round(performance.now() - writtenAt)} ms`);
  narrator.say('The Envoys of books were told to ask; no listener was replaced.');
  narrator.say('GET  /titles{?author,lang}       list-titles    charges  requests 1');
  narrator.say('GET  /titles/{isbn}              read-title     charges  requests 1');
  narrator.say('POST /titles/{isbn}/orders       order-title    charges  requests 1, orders 1');
  narrator.say('For each API key in any minute: 10 requests (reading-room: 30), and 2 orders.');
}

/** Every consumer's calls, with what became of them. */
export async function showConsumers(narrator: Narrator, shop: Shop): Promise<void> {
  const rows: string[][] = [];
  for (const { key, what, call, times } of CONSUMERS) {
    const answers = await callTimes(shop, { ...call, key }, times);
    const refused = answers.filter(({ status }) => status === 429);
    const allowed = answers.filter(({ status }) => status === 200);
    if (allowed.length + refused.length !== times) throw new Error(`${key} got ${answers.map(({ status }) => status)}`);
    const why = refused[0] === undefined ? '' : reasonOf(refused[0]);
    rows.push([key, `${what} ×${times}`, String(allowed.length), String(refused.length), why]);
  }
  narrator.table([['consumer', 'calls', 'allowed', 'refused', 'why'], ...rows]);
}

/** What the access logs of the Envoys told the policy server meanwhile. */
export async function showReports(narrator: Narrator, { mesh }: Stage): Promise<void> {
  const rows = await eventually('all calls are reported', async () => {
    const ofApi = (await reportedRequests(mesh)).filter(({ operation }) => operation !== 'unknown');
    const isComplete = CONSUMERS.every(({ operation, times }) => {
      const ofOperation = ofApi.filter((row) => row.operation === operation);
      return ofOperation.reduce((sum, { count }) => sum + count, 0) >= times;
    });
    return isComplete ? ofApi : undefined;
  });
  narrator.done('reported by the Envoys, counted on /metrics by service, operation and response code:');
  narrator.table([
    ['service', 'operation', 'code', 'requests'],
    ...rows.map(({ service, operation, code, count }) => [service, operation, code, String(count)]),
  ]);
}

/** Makes every request cost half of what a key has, under the eyes of a consumer. */
export async function changeCharge(narrator: Narrator, { mesh, policyText }: Stage, shop: Shop): Promise<void> {
  const before = '{ quota: requests, charge: 1 }';
  const after = '{ quota: requests, charge: 5 }';
  narrator.change(`- quotas: [${before}]`, `- quotas: [${after}]`);
  const writtenAt = performance.now();
  await mesh.discovery.configFolder.writeText(POLICY_FILE, policyText.replace(before, after));
  // Two requests use a key up now: a new key each time shows whether the change is in force.
  let key = 0;
  await eventually(
    'the new charge is in force',
    async () => {
      const answers = await callTimes(shop, { ...LIST, key: `probe-${++key}` }, 3);
      return answers[2]?.status === 429;
    },
    { intervalMs: 2 },
  );
  narrator.done(`in force within ${Math.round(performance.now() - writtenAt)} ms (100 ms of it debounce)`);
  const answers = await callTimes(shop, { ...LIST, key: 'carol' }, 3);
  narrator.done(`carol lists titles ×3: ${answers.map(({ status }) => status).join(', ')}`);
}

/** Removes the policies, and waits until no request is checked any more. */
export async function withdrawPolicy({ mesh }: Stage, shop: Shop): Promise<void> {
  await mesh.discovery.configFolder.remove(POLICY_FILE);
  await eventually('requests are not checked any more', async () => {
    const before = await mesh.discovery.metric('policy_server_checks_total');
    await shop.call({ ...LIST, key: 'nobody' });
    return (await mesh.discovery.metric('policy_server_checks_total')) === before;
  });
}

/** Until a consumer that nobody else is has used its requests up. */
async function waitUntilCharged(shop: Shop, key: string): Promise<void> {
  await eventually('requests are charged', async () => (await shop.call({ ...LIST, key })).status === 429);
}

async function callTimes(shop: Shop, call: ApiCall, times: number): Promise<readonly HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  for (let count = 0; count < times; count++) answers.push(await shop.call(call));
  return answers;
}

function reasonOf({ status, headers, body }: HttpAnswer): string {
  return `${status} ${body.trim()} (retry-after: ${String(headers['retry-after'])})`;
}

interface ReportedRequests {
  readonly service: string;
  readonly operation: string;
  readonly code: string;
  readonly count: number;
}

/** Of the side that serves them, or of the caller's where that one alone has an Envoy. */
async function reportedRequests(mesh: Stage['mesh']): Promise<readonly ReportedRequests[]> {
  const lines = (await mesh.discovery.get('/metrics'))
    .split('\n')
    .filter((line) => line.startsWith('policy_server_requests_total{'));
  const label = (line: string, name: string): string => new RegExp(`${name}="([^"]*)"`).exec(line)?.[1] ?? '';
  const inbound = lines.filter((line) => label(line, 'reporter') === 'inbound');
  return (inbound.length > 0 ? inbound : lines)
    .map((line) => ({
      service: label(line, 'service'),
      operation: label(line, 'operation'),
      code: label(line, 'response_code'),
      count: Number(line.slice(line.lastIndexOf(' ') + 1)),
    }))
    .sort((a, b) => a.operation.localeCompare(b.operation) || a.code.localeCompare(b.code));
}
