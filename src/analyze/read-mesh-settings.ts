import { createDefaultMeshConfig, createMeshConfigReader } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../config/mesh/read-mesh-networks.js';
import { createSchemaCompiler } from '../config/schema/schema-reader.js';
import type { YamlParser } from '../config/yaml/parse-document.js';
import { readSettingsFile } from './read-settings.js';

/** Files with the settings of the mesh; undefined: defaults. */
export interface MeshSettingsFiles {
  readonly meshConfigFile: string | undefined;
  readonly networksConfigFile: string | undefined;
}

/** @throws InputError if a file cannot be read or is invalid */
export async function readMeshSettings({ meshConfigFile, networksConfigFile }: MeshSettingsFiles, parse: YamlParser) {
  const compiler = createSchemaCompiler();
  const mesh =
    meshConfigFile === undefined
      ? createDefaultMeshConfig()
      : await readSettingsFile('--meshConfig', meshConfigFile, createMeshConfigReader(compiler), parse);
  const networks =
    networksConfigFile === undefined
      ? createDefaultMeshNetworks()
      : await readSettingsFile('--networksConfig', networksConfigFile, createMeshNetworksReader(compiler), parse);
  return { mesh, networks };
}
