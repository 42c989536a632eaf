import { type RunningAdapter, runs } from '../../../config/policy-rules/catalogue/running-adapters.js';
import type { HandlerObject } from '../rule-objects.js';
import type { Adapter, BuildAdapter, HandlerEnvironment } from './adapter.js';
import { buildDenier } from './denier.js';
import { buildListchecker } from './listchecker.js';
import { buildMemquota } from './memquota.js';
import { buildNoop } from './noop.js';
import { buildOtlp } from './otlp.js';
import { buildPrometheus } from './prometheus.js';
import { buildRedisquota } from './redisquota.js';
import { buildStdio } from './stdio.js';

const BUILDERS: Readonly<Record<RunningAdapter, BuildAdapter<never>>> = {
  denier: buildDenier,
  listchecker: buildListchecker,
  memquota: buildMemquota,
  noop: buildNoop,
  otlp: buildOtlp,
  prometheus: buildPrometheus,
  redisquota: buildRedisquota,
  stdio: buildStdio,
};

/**
 * Builds the running part of a handler.
 *
 * @throws Error for an adapter that does not run yet, and for parameters that cannot be used
 */
export function buildAdapter(handler: HandlerObject, environment: HandlerEnvironment): Adapter {
  if (handler.problem !== undefined) throw new Error(handler.problem);
  if (handler.adapter.type === 'own') return environment.buildOwn(handler, environment);
  const { spec } = handler;
  const { compiledAdapter = '' } = spec;
  if (runs(compiledAdapter)) return BUILDERS[compiledAdapter](spec.params as never, environment);
  throw new Error(`spec.compiledAdapter: ${compiledAdapter} does not run yet`);
}
