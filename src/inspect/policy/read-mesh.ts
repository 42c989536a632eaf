import { contextOf } from '../../analyze/analyze-objects.js';
import { type InputText, readInputs } from '../../analyze/read-inputs.js';
import { type MeshSettingsFiles, readMeshSettings } from '../../analyze/read-mesh-settings.js';
import { readObjects } from '../../analyze/read-objects.js';
import { createKindRegistry } from '../../config/kinds.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { DEFAULT_NETWORKING_FEATURES } from '../../config/networking/networking-kinds.js';
import type { RegexLimits } from '../../config/regex/regex-limits.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import type { ExpressionLanguage } from '../../expressions/expression-types.js';
import type { PushContext } from '../../model/push-context.js';
import type { MeshStoreSettings } from '../../model/store/mesh-store-settings.js';
import { type PageServer, readJsonPage } from '../page-server.js';
import { readServedObjects } from '../served-objects.js';

export interface MeshReading extends MeshSettingsFiles {
  readonly store: MeshStoreSettings;
  readonly regexLimits: RegexLimits;
  /** Of rules and instances. */
  readonly expressionLanguage: ExpressionLanguage;
}

/**
 * The snapshot of the objects that are in files. Invalid objects are left out: `analyze` names them.
 *
 * @throws InputError if a file cannot be read
 */
export async function meshOfFiles(files: readonly string[], reading: MeshReading): Promise<PushContext> {
  const settings = await readMeshSettings(reading, createYamlParser());
  return contextOfTexts(await readInputs(files, process.stdin), settings, reading);
}

/**
 * The snapshot of the objects and the mesh config that a server has in force.
 *
 * @throws UnreachableError, PageRefusedError
 */
export async function meshOfServer(server: PageServer, reading: MeshReading): Promise<PushContext> {
  const [objects, mesh] = await Promise.all([readServedObjects(server), readJsonPage(server, '/debug/mesh')]);
  const { networks } = await readMeshSettings(reading, createYamlParser());
  return contextOfTexts([objects], { mesh: mesh as MeshConfig, networks }, reading);
}

function contextOfTexts(
  inputs: readonly InputText[],
  settings: Pick<PushContext, 'mesh' | 'networks'>,
  { store, regexLimits, expressionLanguage }: MeshReading,
): PushContext {
  const { placed } = readObjects(inputs, {
    kinds: createKindRegistry(store.meshDomain, regexLimits, { ...DEFAULT_NETWORKING_FEATURES, expressionLanguage }),
    parse: createYamlParser(),
    defaultNamespace: 'default',
  });
  const objects = [...placed.values()].map(({ object }) => object);
  return contextOf(objects, { ...settings, store });
}
