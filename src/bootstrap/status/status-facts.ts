import { appendTo } from '../../base/append-to.js';
import type { ObjectKey } from '../../config/object.js';
import type { ConfigProblem } from '../../introspection/views.js';
import type { PushContext } from '../../model/push-context.js';
import { kindOfKey } from '../../model/push-request.js';
import type { ObjectProblem } from '../../sources/kubernetes/objects/object-report.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';
import { aggregateProgress } from '../../status/distribution/aggregate-progress.js';
import type { DistributionReport } from '../../status/distribution/distribution-report.js';
import type { StatusFacts } from '../../status/kubernetes/status-loop.js';

/** The sources of facts about objects, each for the present state. */
export interface FactSources {
  context(): PushContext | undefined;
  /** Objects that the cluster's source refuses. */
  problems(): readonly ObjectProblem[];
  /** Messages of the analysis about the newest snapshot. */
  messages(): readonly AnalysisMessage[];
  /** Reports of this instance and all others; undefined when distribution is not tracked. */
  reports(): readonly DistributionReport[] | undefined;
  /** Settings of this process whose present content is not in force, or has fields without effect. */
  refusedSettings(): readonly ConfigProblem[];
}

/** Reads the present facts once, for questions about many objects. */
export function readFacts({ context, problems, messages, reports, refusedSettings }: FactSources): StatusFacts {
  const objects = context()?.objects;
  const problemsByKey = groupByKey(problems(), ({ key }) => key);
  const messagesByKey = groupByKey(messages(), ({ object }) => object);
  const present = reports();
  return {
    servedGeneration: (key) => objects?.get(kindOfKey(key))?.get(key)?.metadata.generation,
    refusals: (key) => problemsByKey.get(key) ?? [],
    messages: (key) => messagesByKey.get(key) ?? [],
    progress: (key, generation) => present && aggregateProgress(present, key, String(generation)),
    refusedSettings: refusedSettings()
      .filter(({ level }) => level !== 'Warn')
      .map(settingText),
  };
}

/** `ConfigMap mesh-system/mesh: data.mesh: line 2: …` */
function settingText({ object, file, field, reason }: ConfigProblem): string {
  const place = object?.replace('/', ' ') ?? file;
  return [place, object === undefined ? undefined : field, reason].filter((part) => part !== undefined).join(': ');
}

function groupByKey<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => ObjectKey | undefined,
): ReadonlyMap<ObjectKey, readonly Item[]> {
  const groups = new Map<ObjectKey, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    appendTo(groups, key, item);
  }
  return groups;
}
