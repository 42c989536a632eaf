import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { findMarkedAddresses } from './kubernetes/marked-address.js';
import type { WatchFloorReport, WatchFloorTarget } from './kubernetes/watch-floor-protocol.js';
import { monotonicMs } from './measure/monotonic-clock.js';

/**
 * The floor of a cluster reader, forked by the benchmark: it lists what the server lists, in pages of the same size,
 * parses and drops the JSON, then watches the same resources and records only the time of each event. Its cost is that
 * of the API server, TLS and JSON parsing on this machine.
 */

const LISTS = ['/api/v1/services', '/apis/discovery.k8s.io/v1/endpointslices', '/api/v1/pods'];
const PAGE_SIZE = 500;

const target = JSON.parse(process.argv[2] ?? '') as WatchFloorTarget;
const agent = new Agent({ keepAlive: true, ca: target.ca });
const report = (message: WatchFloorReport) => process.send?.(message);

async function open(path: string): Promise<IncomingMessage> {
  const outgoing = get(new URL(path, target.server), { agent, headers: { authorization: `Bearer ${target.token}` } });
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  if (answer?.statusCode !== 200) throw new Error(`The API server answered ${path} with ${answer?.statusCode}.`);
  return answer;
}

interface ListPage {
  readonly items: readonly unknown[];
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

async function list(path: string): Promise<{ objects: number; bytes: number; resourceVersion: string }> {
  let [objects, bytes] = [0, 0];
  for (let next = ''; ; ) {
    const chunks: Buffer[] = [];
    for await (const chunk of await open(`${path}?limit=${PAGE_SIZE}&continue=${next}`)) chunks.push(chunk);
    const text = Buffer.concat(chunks);
    const page = JSON.parse(text.toString('utf8')) as ListPage;
    objects += page.items.length;
    bytes += text.length;
    next = encodeURIComponent(page.metadata.continue ?? '');
    if (next === '') return { objects, bytes, resourceVersion: page.metadata.resourceVersion };
  }
}

async function watch(path: string, resourceVersion: string): Promise<void> {
  const stream = await open(`${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`);
  let rest = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    const atMs = monotonicMs();
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf('\n') + 1;
    rest = bytes.subarray(end);
    const arrivals: number[] = [];
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      // The whole event is parsed, as a reader that keeps objects has to.
      const text = Buffer.from(JSON.stringify(JSON.parse(line).object?.endpoints ?? ''));
      for (const change of findMarkedAddresses(text)) arrivals.push(change, atMs);
    }
    if (arrivals.length > 0) report({ kind: 'arrivals', arrivals });
  });
}

// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));
const lists = await Promise.all(LISTS.map(list));
await Promise.all(lists.map(({ resourceVersion }, index) => watch(LISTS[index] ?? '', resourceVersion)));
report({
  kind: 'listed',
  objects: lists.reduce((sum, { objects }) => sum + objects, 0),
  bytes: lists.reduce((sum, { bytes }) => sum + bytes, 0),
});
