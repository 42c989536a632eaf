import type { HttpAnswer, HttpEcho } from '../../test/counterparts/agent/calls.js';
import type { MeshRig, Sidecar } from '../../test/counterparts/mesh-rig.js';
import type { Workload } from '../../test/counterparts/sidecar-rig.js';
import { PROXY_HTTP_PORT, type Stage } from './stage.js';

/** Address and port of the sample's service `books`. */
const BOOKS_ADDRESS = '10.96.0.120';
export const BOOKS_HOST = 'books.shop.svc.cluster.local';
const APP_PORT = 8080;

/** The workloads of the demo: `web` calls `books`, which has two pods. */
export interface Shop {
  readonly web: Sidecar;
  readonly books: readonly Workload[];
  /** Workloads with a sidecar. */
  readonly sidecars: readonly Sidecar[];
  /** `web` asks `books` so many times; the answers in order. */
  ask(times: number): Promise<readonly HttpEcho[]>;
  /** `web` calls the API of `books` with a consumer's key, once. */
  call(operation: ApiCall): Promise<HttpAnswer>;
}

/** A call of the API in samples/mesh/books-api.yaml. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  /** Sent as x-api-key. */
  readonly key: string;
}

const NAMESPACE = 'shop';

/** For example `books-1 ×4, books-2 ×2`. */
export function tally(answers: readonly HttpEcho[]): string {
  const counts = new Map<string, number>();
  for (const { name } of answers) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, count]) => `${name} ×${count}`)
    .join(', ');
}

async function openWorkload(stage: Stage, name: string, sampleAddress: string, sidecar: boolean): Promise<Workload> {
  const address = stage.address(sampleAddress);
  const workload = sidecar
    ? await stage.mesh.addSidecar({ name, address, namespace: NAMESPACE })
    : await stage.mesh.rig.addWorkload({ name, address });
  await workload.agent.call('serveHttp', { name, port: APP_PORT, address });
  return workload;
}

function isSidecar(workload: Workload): workload is Sidecar {
  return 'envoy' in workload;
}

/** Starts the workloads, and waits until their sidecars have their configuration. */
export async function openShop(stage: Stage): Promise<Shop> {
  const web = await addWeb(stage.mesh, stage.address('10.244.0.11'));
  const books = [
    await openWorkload(stage, 'books-1', '10.244.0.21', stage.captured),
    await openWorkload(stage, 'books-2', '10.244.0.22', stage.captured),
  ];
  const sidecars = [web, ...books.filter(isSidecar)];
  await Promise.all(sidecars.map(({ envoy }) => envoy.ready()));

  const ask = async (times: number): Promise<readonly HttpEcho[]> => {
    const answers: HttpEcho[] = [];
    for (let count = 0; count < times; count++) answers.push(await askOnce(stage, web));
    return answers;
  };
  const call = ({ method, path, key }: ApiCall): Promise<HttpAnswer> => {
    const { url, options } = requestOf(stage, path);
    return web.agent.request(url, { ...options, method, headers: { ...options.headers, 'x-api-key': key } });
  };
  return { web, books, sidecars, ask, call };
}

async function addWeb(mesh: MeshRig, address: string): Promise<Sidecar> {
  const web = await mesh.addSidecar({ name: 'web-1', address, namespace: NAMESPACE });
  await web.agent.call('serveHttp', { name: 'web-1', port: APP_PORT, address });
  return web;
}

function askOnce(stage: Stage, { agent }: Sidecar): Promise<HttpEcho> {
  const { url, options } = requestOf(stage, '/titles');
  return agent.requestEcho(url, options);
}

/** To an HTTP proxy, a request goes with the whole URL; captured, it goes to the service's address. */
function requestOf({ captured }: Stage, path: string) {
  return captured
    ? { url: `http://${BOOKS_ADDRESS}`, options: { path, headers: { host: 'books' } } }
    : {
        url: `http://127.0.0.1:${PROXY_HTTP_PORT}`,
        options: { path: `http://${BOOKS_HOST}${path}`, headers: { host: BOOKS_HOST } },
      };
}
