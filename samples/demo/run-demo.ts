import { eventually } from '../../test/support/eventually.js';
import { shiftVersions } from './canary-act.js';
import type { Narrator } from './narrator.js';
import { applyPolicy, changeCharge, showConsumers, showReports, withdrawPolicy } from './policy-act.js';
import { BOOKS_HOST, openShop, type Shop, tally } from './shop.js';
import { POLICY_FILE, type Stage, setUpStage } from './stage.js';
import { isInSync, shortNonce, syncRowOf } from './sync-state.js';

const BOOKS_CLUSTER = `outbound|80||${BOOKS_HOST}`;

const milliseconds = (since: number): string => `${Math.round(performance.now() - since)} ms`;

async function showControlPlane(narrator: Narrator, { mesh, files }: Stage, took: string): Promise<void> {
  const services = JSON.parse(await mesh.discovery.get('/debug/registryz')) as readonly {
    readonly hostname?: string;
  }[];
  const hosts = services.flatMap(({ hostname }) => (hostname === undefined ? [] : [hostname]));
  narrator.done(`network and server ready after ${took}: ${Object.keys(files).length} files, ${hosts.length} services`);
  for (const host of hosts) narrator.say(`  ${host}`);
}

async function showSidecars(narrator: Narrator, { mesh }: Stage, { sidecars }: Shop): Promise<void> {
  const rows = await Promise.all(
    sidecars.map(async ({ namespace, envoy }) => {
      const workload = `${namespace.name}.shop`;
      const row = await eventually(`${workload} has acknowledged its configuration`, async () => {
        const found = await syncRowOf(mesh.discovery, workload);
        return found !== undefined && isInSync(found) ? found : undefined;
      });
      const stats = await envoy.stats();
      const count = (name: string): string => String(stats.get(name) ?? 0);
      return [
        namespace.name,
        namespace.address,
        count('cluster_manager.active_clusters'),
        count('listener_manager.total_listeners_active'),
        shortNonce(row.cluster_acked),
      ];
    }),
  );
  narrator.table([['workload', 'address', 'clusters', 'listeners', 'acknowledged (version, response)'], ...rows]);
  await mesh.assertNothingRejected();
  narrator.done('nothing rejected by any Envoy');
}

function showHops(narrator: Narrator, { captured }: Stage): void {
  if (captured) {
    narrator.say('web-1 app  →  web-1 Envoy :15001  →  books-1 Envoy :15006  →  books-1 app :8080');
    narrator.say(`           iptables   ${BOOKS_CLUSTER}   iptables`);
  } else {
    narrator.say('web-1 app  →  web-1 Envoy as HTTP proxy  →  books-1 app');
    narrator.say(`                        ${BOOKS_CLUSTER}`);
  }
}

async function showTraffic(narrator: Narrator, stage: Stage, shop: Shop, times: number): Promise<void> {
  const answers = await shop.ask(times);
  narrator.done(`${answers.length} answers of status 200: ${tally(answers)}`);
  const id = answers[0]?.headers['x-request-id'];
  if (typeof id === 'string') narrator.say(`the app saw the id that web-1's Envoy gave the first request: ${id}`);
  const rows = await Promise.all(
    shop.sidecars.map(async ({ namespace, envoy }) => {
      const stats = [...(await envoy.stats())];
      const sum = (pattern: RegExp): string =>
        String(stats.reduce((total, [name, value]) => total + (pattern.test(name) ? value : 0), 0));
      return [
        `${namespace.name} Envoy`,
        sum(/^cluster\.outbound\|80\|\|books\.[^;]*local;?\.upstream_rq_total$/),
        sum(/^cluster\.inbound\|80\|.*\.upstream_rq_total$/),
      ];
    }),
  );
  narrator.table([['counted by', 'sent out to books', 'passed in to its app'], ...rows]);
  await stage.mesh.assertNothingRejected();
}

/** Uncomments the line of books-2, and shows how long it takes to reach web-1's Envoy. */
async function changeFile(narrator: Narrator, { mesh, files }: Stage, shop: Shop): Promise<void> {
  const text = files['books.yaml'] ?? '';
  const [commented] = /^ *# - \{ addresses: .*books-2.*$/m.exec(text) ?? [];
  if (commented === undefined) throw new Error('samples/mesh/books.yaml has no commented line for books-2');
  const uncommented = commented.replace('# - ', '- ');
  const shorten = (line: string): string => line.trim().replace(/, nodeName.*$/, ', … }');
  narrator.change(shorten(commented), shorten(uncommented));

  const before = await syncRowOf(mesh.discovery, 'web-1.shop');
  const writtenAt = performance.now();
  await mesh.discovery.configFolder.writeText('books.yaml', text.replace(commented, uncommented));
  const after = await eventually(
    'web-1 has acknowledged the change',
    async () => {
      const row = await syncRowOf(mesh.discovery, 'web-1.shop');
      return row?.endpoint_acked !== before?.endpoint_acked && row?.endpoint_acked === row?.endpoint_sent
        ? row
        : undefined;
    },
    { intervalMs: 2 },
  );
  narrator.done(`written, read, pushed and acknowledged within ${milliseconds(writtenAt)} (100 ms of it debounce)`);
  narrator.table([
    ['web-1 acknowledged', 'before', 'after'],
    ['endpoints', shortNonce(before?.endpoint_acked), shortNonce(after?.endpoint_acked)],
    ['clusters', shortNonce(before?.cluster_acked), shortNonce(after?.cluster_acked)],
    ['listeners', shortNonce(before?.listener_acked), shortNonce(after?.listener_acked)],
  ]);
  await waitUntilServed(shop);
  const answers = await shop.ask(20);
  narrator.done(`20 answers of status 200: ${tally(answers)}`);
}

/**
 * Until each sidecar has a filter chain for its workload's port. A connection that comes before stays for good in the
 * chain of ports that no service claims, which has no policies.
 */
async function waitUntilServed({ sidecars }: Shop): Promise<void> {
  for (const { namespace, envoy } of sidecars) {
    await eventually(`${namespace.name} serves its port`, async () => {
      const dump = JSON.parse(await envoy.admin('/config_dump?resource=dynamic_listeners')) as ListenerDump;
      const inbound = dump.configs?.find(({ name }) => name === 'virtualInbound');
      return (
        inbound?.warming_state === undefined && (JSON.stringify(inbound?.active_state) ?? '').includes('"inbound|80|')
      );
    });
  }
}

interface ListenerDump {
  readonly configs?: readonly {
    readonly name: string;
    readonly active_state?: object;
    readonly warming_state?: object;
  }[];
}

/** The text in lines of at most `width` characters, broken at spaces. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

async function breakFile(narrator: Narrator, { mesh }: Stage, shop: Shop): Promise<void> {
  await mesh.discovery.configFolder.writeText('books.yaml', 'apiVersion: v1\nkind: Service\nmetadata: { name: books\n');
  const complaint = await eventually('the server complains', () =>
    mesh.discovery
      .tail(50)
      .split('\n')
      .find((line) => line.includes('books.yaml')),
  );
  narrator.done('the server says what is wrong, and keeps serving the last good state:');
  for (const piece of wrap(complaint, 92)) narrator.say(`  ${piece}`);
  narrator.done(`10 answers of status 200: ${tally(await shop.ask(10))}`);
}

async function killControlPlane(narrator: Narrator, { mesh }: Stage, shop: Shop): Promise<void> {
  await mesh.discovery.kill();
  narrator.done(`dead: 10 answers of status 200: ${tally(await shop.ask(10))}`);
  const startedAt = performance.now();
  await mesh.discovery.start();
  await eventually('the proxies are back', async () => {
    const rows = await mesh.discovery.syncRows();
    return rows.length === shop.sidecars.length && rows.every(isInSync);
  });
  narrator.done(`restarted; every proxy is back and in sync after ${milliseconds(startedAt)}`);
  narrator.done(`10 answers of status 200: ${tally(await shop.ask(10))}`);
}

/**
 * The whole demo, with its files in the folder. `whenStarted` gets what ends it, for the caller to use when it is interrupted; otherwise
 * everything is ended here, also after an error.
 */
export async function runDemo(
  narrator: Narrator,
  { envoy, folder }: { readonly envoy: string; readonly folder: string },
  whenStarted: (close: () => Promise<void>) => void,
): Promise<void> {
  const demoStartedAt = performance.now();
  narrator.title('navigator-discovery: a mesh from a folder of files, with real Envoys');
  const stage = await setUpStage(envoy, folder);
  whenStarted(() => stage.mesh.close());
  try {
    for (const line of stage.description) narrator.say(line);

    narrator.step('Start the control plane on a copy of samples/mesh');
    await showControlPlane(narrator, stage, milliseconds(demoStartedAt));

    const withEnvoy = stage.captured ? 'each pod with an Envoy' : 'web with an Envoy';
    narrator.step(`Start web and books, ${withEnvoy} that asks the control plane for everything`);
    const shop = await openShop(stage);
    await showSidecars(narrator, stage, shop);

    narrator.step('web asks books: GET http://books/titles, 6 times');
    showHops(narrator, stage);
    await showTraffic(narrator, stage, shop, 6);

    narrator.step('Change a file: uncomment the second pod in books.yaml');
    await changeFile(narrator, stage, shop);

    narrator.step('Apply tour/canary.yaml: a tenth of the requests go to version 2; then all of them');
    await shiftVersions(narrator, stage, shop);

    narrator.step(`Apply ${POLICY_FILE}: an API of three operations, what they cost, and two quotas`);
    await applyPolicy(narrator, stage, shop);

    narrator.step('Three consumers call the API, each with a key of its own');
    await showConsumers(narrator, shop);
    await showReports(narrator, stage);

    narrator.step('Change what a request costs, from 1 to 5 of the 10');
    await changeCharge(narrator, stage, shop);
    await withdrawPolicy(stage, shop);

    narrator.step('Break the file');
    await breakFile(narrator, stage, shop);
    await stage.mesh.discovery.configFolder.writeText('books.yaml', stage.files['books.yaml'] ?? '');

    narrator.step('Kill the control plane (SIGKILL) and start it again');
    await killControlPlane(narrator, stage, shop);
    await stage.mesh.assertNothingRejected();
  } finally {
    await stage.mesh.close();
  }
  const seconds = ((performance.now() - demoStartedAt) / 1000).toFixed(1);
  narrator.end(`Done after ${seconds} s. Every process, namespace and file of the demo is gone. Next: npm start`);
}
