import { eventually } from '../../test/support/eventually.js';
import type { Narrator } from './narrator.js';
import { BOOKS_HOST, type Shop, tally } from './shop.js';
import type { Stage } from './stage.js';

const CANARY_FILE = 'canary.yaml';
const NEW_VERSION = `outbound|80|v2|${BOOKS_HOST}`;
const REQUESTS = 50;

/** Splits the requests to books between its two versions, and moves all of them to the new one under load. */
export async function shiftVersions(narrator: Narrator, { mesh, canaryText }: Stage, shop: Shop): Promise<void> {
  const { configFolder } = mesh.discovery;
  const isNew = (name: string): boolean => name === 'books-2';
  await configFolder.writeText(CANARY_FILE, canaryText);
  await eventually('web-1 routes to both versions', async () => {
    const routes = await shop.web.envoy.admin('/config_dump?resource=dynamic_route_configs');
    return routes.includes(NEW_VERSION);
  });
  narrator.done(`${REQUESTS} answers of status 200: ${tally(await shop.ask(REQUESTS))}`);

  const [before, after] = [
    ['weight: 90', 'weight: 10'],
    ['weight: 0', 'weight: 100'],
  ] as const;
  narrator.change(`v1 ${before[0]}, v2 ${before[1]}`, `v1 ${after[0]}, v2 ${after[1]}`);
  const writtenAt = performance.now();
  await configFolder.writeText(CANARY_FILE, canaryText.replace(before[0], after[0]).replace(before[1], after[1]));
  let asked = 0;
  await eventually(
    'books-2 gets every request',
    async () => {
      const answers = await shop.ask(10);
      asked += answers.length;
      return answers.every(({ name }) => isNew(name));
    },
    { intervalMs: 2 },
  );
  const took = Math.round(performance.now() - writtenAt);
  narrator.done(`in force within ${took} ms (100 ms of it debounce); ${asked} requests meanwhile, each of status 200`);
  narrator.done(`${REQUESTS} answers of status 200: ${tally(await shop.ask(REQUESTS))}`);
  await configFolder.remove(CANARY_FILE);
}
