import type { HandlerObject } from '../rule-objects.js';
import type { Adapter, BuildAdapter, HandlerEnvironment } from './adapter.js';
import { buildDenier } from './denier.js';
import { buildListchecker } from './listchecker.js';
import { buildMemquota } from './memquota.js';
import { buildNoop } from './noop.js';
import { buildOtlp } from './otlp.js';
import { buildPrometheus } from './prometheus.js';
import { buildRbac } from './rbac.js';
import { buildRedisquota } from './redisquota.js';
import { buildStdio } from './stdio.js';

const BUILDERS: ReadonlyMap<string, BuildAdapter<never>> = new Map<string, BuildAdapter<never>>(
  Object.entries({
    denier: buildDenier,
    listchecker: buildListchecker,
    memquota: buildMemquota,
    noop: buildNoop,
    otlp: buildOtlp,
    prometheus: buildPrometheus,
    rbac: buildRbac,
    redisquota: buildRedisquota,
    stdio: buildStdio,
  }),
);

/**
 * Builds the running part of a handler.
 *
 * @throws Error for an adapter that this program does not have, and for parameters that cannot be used
 */
export function buildAdapter(handler: HandlerObject, environment: HandlerEnvironment): Adapter {
  if (handler.problem !== undefined) throw new Error(handler.problem);
  if (handler.adapter.type === 'own') return environment.buildOwn(handler, environment);
  const { spec } = handler;
  const { compiledAdapter = '' } = spec;
  const build = BUILDERS.get(compiledAdapter);
  if (build === undefined)
    throw new Error(`spec.compiledAdapter: ${compiledAdapter} is no adapter of this policy server`);
  return build(spec.params as never, environment);
}
