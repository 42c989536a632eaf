import type { MeshConfig, ProxyConfig } from '../../../config/mesh/mesh-config.js';
import type { ProxyConfigMerger } from '../../../config/mesh/proxy-config.js';
import { formatFinding } from '../../../config/violation.js';
import type { YamlParser } from '../../../config/yaml/parse-document.js';
import type { InjectionNames } from '../annotation-names.js';
import { own } from '../pod.js';
import { invalidAnnotation } from './validate-annotations.js';

export interface ProxyConfigTools {
  readonly names: InjectionNames;
  readonly mergeProxyConfig: ProxyConfigMerger;
  readonly parseYaml: YamlParser;
}

/**
 * The settings of a pod's proxy: the annotation `proxy.<mesh domain>/config`, merged over the settings of the mesh.
 *
 * @throws InjectionError INVALID_ANNOTATION
 */
export function podProxyConfig(
  annotations: Readonly<Record<string, string>>,
  mesh: MeshConfig,
  { names, mergeProxyConfig, parseYaml }: ProxyConfigTools,
): { readonly proxyConfig: ProxyConfig; readonly warnings: readonly string[] } {
  const text = own(annotations, names.proxyConfig);
  if (typeof text !== 'string') return { proxyConfig: mesh.defaultConfig, warnings: [] };
  const parsed = parseYaml(text);
  if (parsed.type === 'error') throw invalidAnnotation(names.proxyConfig, text, `it is not YAML: ${parsed.message}`);
  const merged = mergeProxyConfig(mesh.defaultConfig, parsed.value);
  if (merged.type === 'invalid') {
    throw invalidAnnotation(names.proxyConfig, text, merged.violations.map(formatFinding).join('; '));
  }
  const warnings = merged.warnings.map((warning) => `annotation ${names.proxyConfig}: ${formatFinding(warning)}`);
  return { proxyConfig: merged.value, warnings };
}
