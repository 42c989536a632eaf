import { builtInTemplate } from '../../config/policy-rules/descriptors/built-in-templates.js';
import type { TemplateWire } from '../../config/policy-rules/descriptors/template-wire.js';
import type { Instance } from '../rules/instance.js';
import { createInstanceEncoder } from './wire/encode-instance.js';

/** A template, and how its instances are encoded. */
export interface CallTemplate {
  readonly wire: TemplateWire;
  readonly encode: (instance: Instance) => Uint8Array;
}

/** The templates of the instances of one handler. */
export interface CallTemplates {
  /** @throws Error for a built-in template that no adapter takes */
  of(instance: Pick<Instance, 'template' | 'wire'>): CallTemplate;
}

export function createTemplates(): CallTemplates {
  const known = new Map<TemplateWire, CallTemplate>();
  return {
    of: ({ template, wire = builtInTemplate(template) }) => {
      if (wire === undefined) throw new Error(`adapters of your own do not take the template ${template}`);
      const found = known.get(wire) ?? { wire, encode: createInstanceEncoder(wire) };
      known.set(wire, found);
      return found;
    },
  };
}
