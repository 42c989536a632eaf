import * as Type from 'typebox';
import type { CompiledAdapter } from '../compiled-adapter.js';

/** Takes every instance and does nothing, to try rules. */
export const noop: CompiledAdapter = {
  name: 'noop',
  templates: 'all',
  schema: Type.Object({}, { additionalProperties: false, description: 'noop has no parameters.' }),
};

/** Public installations contain it. It looked up the workloads of addresses. */
export const kubernetesenv: CompiledAdapter = {
  name: 'kubernetesenv',
  templates: ['kubernetes'],
  schema: Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description: 'Parameters of kubernetesenv, which are not read.',
  }),
  withoutEffect: 'proxies and control plane already set the attributes of workloads',
};
