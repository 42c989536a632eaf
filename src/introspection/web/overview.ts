import type { PushActivity } from '../../model/push-activity.js';
import { compareText, sortConnections } from '../order.js';
import type { Page } from '../page.js';
import { proxyState } from '../proxy-state.js';
import { checkReadiness, type Readiness } from '../ready.js';
import type { BuildInfo, ConfigProblem, Views } from '../views.js';
import type { ProxyRow } from './proxy-row.js';

/** The content of the overview. */
export interface OverviewModel {
  /** Name of the program. */
  readonly title: string;
  readonly build: BuildInfo;
  readonly readiness: Readiness;
  readonly now: Date;
  /** Undefined before the first snapshot, like `snapshotVersion`. */
  readonly services: number | undefined;
  readonly snapshotVersion: string | undefined;
  readonly proxies: number;
  readonly current: number;
  readonly rejected: number;
  readonly problems: number;
  /** Number of errors among the problems. */
  readonly errors: number;
  readonly firstProblems: readonly ConfigProblem[];
  /** Undefined in programs without pushes. */
  readonly activity: PushActivity | undefined;
  /** The listed proxies, which may be fewer than `proxies`. */
  readonly rows: readonly ProxyRow[];
  /** Suggested object keys. */
  readonly resources: readonly string[];
  readonly pages: readonly Page[];
}

/** Maximum proxies in the list. */
const MAX_PROXIES = 100;
const MAX_PROBLEMS = 8;
/** Maximum object names that the page offers in its input fields. */
const MAX_RESOURCES = 200;

/** @param pages the pages that the overview lists */
export async function overviewModel(
  title: string,
  views: Views,
  pages: readonly Page[],
  now: Date,
): Promise<OverviewModel> {
  const context = views.context();
  const root = views.currentConfigVersion();
  const problems = views.problems();
  const rows = sortConnections(views.connections()).map(
    (connection): ProxyRow => ({ connection, state: proxyState(connection, root) }),
  );
  const count = (type: ProxyRow['state']['type']): number => rows.filter(({ state }) => state.type === type).length;
  return {
    title,
    build: views.build,
    readiness: await checkReadiness(views.probes),
    now,
    services: context?.services.length,
    snapshotVersion: context?.version,
    proxies: rows.length,
    current: count('current'),
    rejected: count('rejected'),
    problems: problems.length,
    errors: problems.filter(isError).length,
    firstProblems: problems
      .toSorted((first, second) => Number(isError(second)) - Number(isError(first)))
      .slice(0, MAX_PROBLEMS),
    activity: views.activity,
    // Proxies that reject come first. The sort is stable, so proxies of one state stay sorted by name.
    rows: rows.toSorted((first, second) => urgency(first) - urgency(second)).slice(0, MAX_PROXIES),
    resources: [...(context?.objects.values() ?? [])]
      .flatMap((objects) => [...objects.keys()])
      .sort(compareText)
      .slice(0, MAX_RESOURCES),
    pages,
  };
}

/** A problem without a level is an object that a source rejected. */
export function isError({ level = 'Error' }: ConfigProblem): boolean {
  return level === 'Error';
}

function urgency({ state }: ProxyRow): number {
  return { rejected: 0, waiting: 1, current: 2 }[state.type];
}
