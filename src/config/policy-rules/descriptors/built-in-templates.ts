import { lazy } from '../../../base/lazy.js';
import { readTemplateDescriptors } from '../../../generated/template-descriptors.js';
import { readDescriptorSet } from './read-descriptor-set.js';
import { readTemplateFile, templateFiles } from './read-template.js';
import type { TemplateWire } from './template-wire.js';

const templates = lazy((): ReadonlyMap<string, TemplateWire> => {
  const set = readDescriptorSet(readTemplateDescriptors());
  const read = templateFiles(set).map((file) => readTemplateFile(set, file));
  return new Map(read.map((template) => [template.name, template]));
});

/** A built-in template as adapters of one's own get it (proto/mesh/adapters/templates); undefined for other names. */
export function builtInTemplate(name: string): TemplateWire | undefined {
  return templates().get(name);
}
