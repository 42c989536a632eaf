import { type DebugIndexModel, type ProxyRow, renderDebugIndex } from './debug-index-template.js';
import { compareText, sortConnections } from './order.js';
import type { Page } from './page.js';
import { proxyState } from './proxy-state.js';
import { checkReadiness } from './ready.js';
import type { Views } from './views.js';

/** Maximum proxies in the list. /debug/syncz shows all. */
const MAX_PROXIES = 100;
/** Maximum object names that the index offers in its input field. */
const MAX_RESOURCES = 200;

/**
 * Makes the index of the debug pages: a summary of the state, then all pages with their parameters.
 *
 * @param title name of the program
 */
export function createDebugIndex(title: string, pages: readonly Page[]): Page {
  return {
    path: '/debug',
    description: 'This page',
    audience: 'operator',
    handle: async (views, { now }) => ({
      type: 'html',
      html: renderDebugIndex({ title, ...(await indexModel(views, pages, now)) }),
    }),
  };
}

async function indexModel(views: Views, pages: readonly Page[], now: Date): Promise<Omit<DebugIndexModel, 'title'>> {
  const context = views.context();
  const root = views.currentConfigVersion();
  const problems = views.problems();
  const rows = sortConnections(views.connections()).map(
    (connection): ProxyRow => ({ connection, state: proxyState(connection, root) }),
  );
  const count = (type: ProxyRow['state']['type']): number => rows.filter(({ state }) => state.type === type).length;
  return {
    build: views.build,
    readiness: await checkReadiness(views.probes),
    now,
    services: context?.services.length,
    snapshotVersion: context?.version,
    proxies: rows.length,
    current: count('current'),
    rejected: count('rejected'),
    problems: problems.length,
    errors: problems.filter(({ level = 'Error' }) => level === 'Error').length,
    // Proxies that reject come first. The sort is stable, so proxies of one state stay sorted by name.
    rows: rows.toSorted((first, second) => urgency(first) - urgency(second)).slice(0, MAX_PROXIES),
    resources: [...(context?.objects.values() ?? [])]
      .flatMap((objects) => [...objects.keys()])
      .sort(compareText)
      .slice(0, MAX_RESOURCES),
    pages,
  };
}

function urgency({ state }: ProxyRow): number {
  return { rejected: 0, waiting: 1, current: 2 }[state.type];
}
