import { createProxyConfigMerger } from '../../config/mesh/proxy-config.js';
import type { SchemaCompiler } from '../../config/schema/schema-reader.js';
import { createYamlParser } from '../../config/yaml/parse-document.js';
import { createInjectionNames } from './annotation-names.js';
import { createAnnotationValidator } from './decision/validate-annotations.js';
import type { InjectionTools } from './inject.js';
import { createRenderedItemsReader } from './template/rendered-items.js';

export interface InjectionToolsOptions {
  readonly meshDomain: string;
  /** REVISION; empty for none. */
  readonly revision: string;
  readonly compiler: SchemaCompiler;
}

/** Creates the constant parts of injection. */
export function createInjectionTools({ meshDomain, revision, compiler }: InjectionToolsOptions): InjectionTools {
  const names = createInjectionNames(meshDomain);
  return {
    names,
    meshDomain,
    revision,
    validateAnnotations: createAnnotationValidator(names, meshDomain),
    mergeProxyConfig: createProxyConfigMerger(compiler),
    parseYaml: createYamlParser(),
    readRenderedItems: createRenderedItemsReader(),
  };
}
