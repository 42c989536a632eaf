import type { Violation } from '../violation.js';
import { descriptorViolations } from './descriptor-rules.js';
import { readDescriptorSet } from './descriptors/read-descriptor-set.js';
import { readTemplate } from './descriptors/read-template.js';
import type { TemplateSpec } from './template.js';

/** Rules of a template that its schema cannot express. */
export function validateTemplate({ descriptor }: TemplateSpec): readonly Violation[] {
  return [...descriptorViolations('descriptor', descriptor, () => readTemplate(readDescriptorSet(descriptor)))];
}
