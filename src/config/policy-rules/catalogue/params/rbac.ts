import type { Static } from 'typebox';
import * as Type from 'typebox';
import { validateDuration } from '../../../duration-rules.js';
import { durationField } from '../../../policy/attributes.js';
import type { Immutable } from '../../../schema/immutable.js';
import { optionalText } from '../../fields.js';
import type { CompiledAdapter } from '../compiled-adapter.js';
import { reuseFields } from '../reuse-fields.js';

const schema = Type.Object(
  {
    configStoreUrl: optionalText('Where the policies are.'),
    cacheDuration: durationField({ description: 'How long an answer may be reused.', default: '60s' }),
  },
  { additionalProperties: false, description: 'Parameters of rbac.' },
);

export type RbacParams = Immutable<Static<typeof schema>>;

/** Decides by AuthorizationPolicies. */
export const rbac: CompiledAdapter<RbacParams> = {
  name: 'rbac',
  templates: ['authorization'],
  schema,
  validate: ({ cacheDuration }) => validateDuration('cacheDuration', cacheDuration, { zero: 'allowed' }),
  idle: ({ configStoreUrl = '', cacheDuration }) => [
    ...(configStoreUrl === ''
      ? []
      : [{ path: 'configStoreUrl', reason: 'is not read: the policies are the AuthorizationPolicies of the mesh' }]),
    ...reuseFields({ cacheDuration: [cacheDuration, '60s'] }),
  ],
};
