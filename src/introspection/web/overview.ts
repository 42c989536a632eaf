import { firstSorted } from '../../base/first-sorted.js';
import type { ObjectKey } from '../../config/object.js';
import type { PushActivity } from '../../model/push-activity.js';
import type { PushContext } from '../../model/push-context.js';
import type { SilentInstance } from '../instances.js';
import { compareText } from '../order.js';
import type { Page } from '../page.js';
import { checkReadiness, type Readiness } from '../ready.js';
import { type BuildInfo, type ConfigProblem, lastProblems, type Views } from '../views.js';
import { NUMEROUS_KINDS } from './numerous-kinds.js';
import { askOthers, numberIn, recordIn } from './other-instances.js';
import { compareUrgency, type ProxyRow, proxyRows } from './proxy-row.js';

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
  /** Connected to all instances that answered. */
  readonly proxies: number;
  /** Connected to this instance. */
  readonly ownProxies: number;
  /** Instances whose proxies are not counted. */
  readonly silent: readonly SilentInstance[];
  readonly current: number;
  readonly rejected: number;
  readonly problems: number;
  /** Number of errors among the problems. */
  readonly errors: number;
  readonly firstProblems: readonly ConfigProblem[];
  /** Undefined in programs without pushes. */
  readonly activity: PushActivity | undefined;
  /** The listed proxies of this instance, which may be fewer. */
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
  const problems = lastProblems(views);
  const rows = await proxyRows(views.connections(), root);
  const others = await askOthers(views, '/debug', (page) => recordIn(page, 'proxies'));
  const sum = (own: number, field: string): number =>
    others.found.reduce((total, proxies) => total + numberIn(proxies, field), own);
  const count = (type: ProxyRow['state']['type']): number => rows.filter(({ state }) => state.type === type).length;
  return {
    title,
    build: views.build,
    readiness: await checkReadiness(views.probes),
    now,
    services: context?.services.length,
    snapshotVersion: context?.version,
    proxies: sum(rows.length, 'connected'),
    current: sum(count('current'), 'current'),
    rejected: sum(count('rejected'), 'rejected'),
    ownProxies: rows.length,
    silent: others.silent,
    problems: problems.length,
    errors: problems.filter(isError).length,
    firstProblems: problems
      .toSorted((first, second) => Number(isError(second)) - Number(isError(first)))
      .slice(0, MAX_PROBLEMS),
    activity: views.activity,
    rows: firstSorted(rows, MAX_PROXIES, compareUrgency),
    resources: context === undefined ? [] : suggestedResources(context),
    pages,
  };
}

/** A problem without a level is an object that a source rejected. */
export function isError({ level = 'Error' }: ConfigProblem): boolean {
  return level === 'Error';
}

/** Some objects of each kind, without those of which each workload has one. */
function suggestedResources({ objects }: PushContext): readonly ObjectKey[] {
  const kinds = [...objects].filter(([kind]) => !NUMEROUS_KINDS.has(kind));
  const most = Math.ceil(MAX_RESOURCES / Math.max(1, kinds.length));
  return kinds.flatMap(([, ofKind]) => firstSorted(ofKind.keys(), most, compareText)).sort(compareText);
}
