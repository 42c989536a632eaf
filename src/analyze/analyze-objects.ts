import type { MeshConfig } from '../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../config/mesh/mesh-networks.js';
import type { MeshObject } from '../config/object.js';
import type { PushContext } from '../model/push-context.js';
import { nextPushContext } from '../model/snapshot/next-push-context.js';
import { createMeshStore } from '../model/store/mesh-store.js';
import type { MeshStoreSettings } from '../model/store/mesh-store-settings.js';
import { analysisInputOf, type Enforcement } from '../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../status/analysis/analysis-message.js';
import { analyze } from '../status/analysis/analyze.js';
import { MESSAGE_CODES, type MessageNeed } from '../status/analysis/message-codes.js';

export interface AnalysisSettings {
  readonly store: MeshStoreSettings;
  readonly enforcement: Enforcement;
  readonly mesh: MeshConfig;
  readonly networks: MeshNetworks;
  /** The facts that the input does not contain. Messages that need them are left out. */
  readonly lacks: ReadonlySet<MessageNeed>;
}

export interface ObjectAnalysis {
  readonly messages: readonly AnalysisMessage[];
  /** Messages that hold only if the input is the whole mesh. */
  readonly leftOut: number;
}

/** Analyzes objects as one snapshot of a mesh that has only them. */
export function analyzeObjects(objects: readonly MeshObject[], settings: AnalysisSettings): ObjectAnalysis {
  const { enforcement, lacks } = settings;
  const context = contextOf(objects, settings);
  const messages = analyze(analysisInputOf(context, enforcement));
  const needOf = (message: AnalysisMessage): MessageNeed | undefined =>
    message.isCertain === true ? undefined : NEEDS.get(message.code);
  const holds = (message: AnalysisMessage): boolean => {
    const need = needOf(message);
    return need === undefined || !lacks.has(need);
  };
  return {
    messages: messages.filter(holds),
    leftOut: messages.filter((message) => needOf(message) === 'wholeMesh' && !holds(message)).length,
  };
}

/** The snapshot of a mesh that has only these objects. */
export function contextOf(
  objects: readonly MeshObject[],
  { store: settings, mesh, networks }: Pick<AnalysisSettings, 'store' | 'mesh' | 'networks'>,
): PushContext {
  const store = createMeshStore(settings, { mesh, networks });
  store.apply({ cluster: settings.clusterId, changes: objects.map((object) => ({ type: 'upsert', object })) });
  return nextPushContext(undefined, store, new Date(0));
}

const NEEDS: ReadonlyMap<string, MessageNeed> = new Map(
  Object.values(MESSAGE_CODES).flatMap((each) =>
    'needs' in each ? [[each.code as string, each.needs as MessageNeed] as const] : [],
  ),
);
