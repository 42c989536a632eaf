import type { InjectionNames } from '../annotation-names.js';
import type { InjectionSettings } from '../inject.js';
import { own } from '../pod.js';
import type { CompiledTemplate } from '../template/compile-template.js';
import { invalidAnnotation } from './validate-annotations.js';

/** Name of the template of pods that choose none. */
const SIDECAR = 'sidecar';

export interface ChosenTemplate {
  readonly template: CompiledTemplate;
  /** Whether it is the template of pods that choose none. Other templates need not capture what peers send. */
  readonly isSidecar: boolean;
}

/**
 * The template that an annotation of the pod names; default: `sidecar`.
 *
 * @throws InjectionError INVALID_ANNOTATION for a name without a template
 */
export function chooseTemplate(
  annotations: Readonly<Record<string, string>>,
  { config, compiled }: Pick<InjectionSettings, 'config' | 'compiled'>,
  names: InjectionNames,
): ChosenTemplate {
  const wanted = own(annotations, names.templates);
  const name = typeof wanted === 'string' ? wanted : SIDECAR;
  const isSidecar = name === SIDECAR;
  const text = isSidecar ? config.template : own(config.templates, name);
  const template = typeof text === 'string' ? compiled.get(text) : undefined;
  if (template !== undefined) return { template, isSidecar };
  const known = [SIDECAR, ...Object.keys(config.templates).filter((each) => each !== SIDECAR)];
  throw invalidAnnotation(names.templates, name, `use one of ${known.join(', ')}`);
}
