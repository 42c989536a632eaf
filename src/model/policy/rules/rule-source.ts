import type { PushContext } from '../../push-context.js';

/** The parts of a snapshot from which rules are resolved. */
export type RuleSource = Pick<PushContext, 'objects' | 'bindingGrants'>;
