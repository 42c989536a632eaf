import type { CompiledAdapter } from './compiled-adapter.js';
import { denier } from './params/denier.js';
import { listchecker } from './params/listchecker.js';
import { memquota } from './params/memquota.js';
import { otlp } from './params/otlp.js';
import { prometheus } from './params/prometheus.js';
import { rbac } from './params/rbac.js';
import { redisquota } from './params/redisquota.js';
import { stdio } from './params/stdio.js';
import { kubernetesenv, noop } from './params/without-params.js';

/** The built-in adapters by name: the public ones of these names, and `otlp` (docs/policy-rules.md#adapters). */
export const COMPILED_ADAPTERS: ReadonlyMap<string, CompiledAdapter> = new Map(
  (
    [
      denier,
      listchecker,
      memquota,
      redisquota,
      rbac,
      prometheus,
      stdio,
      otlp,
      noop,
      kubernetesenv,
    ] as readonly CompiledAdapter[]
  ).map((adapter) => [adapter.name, adapter]),
);

/** Whether an adapter takes instances of a template. */
export function takesTemplate({ templates }: CompiledAdapter, template: string): boolean {
  return templates === 'all' || templates.includes(template);
}
