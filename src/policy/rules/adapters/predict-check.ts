import type { DenierParams } from '../../../config/policy-rules/catalogue/params/denier.js';
import type { ListcheckerParams } from '../../../config/policy-rules/catalogue/params/listchecker.js';
import type { RegexPrograms } from '../../../config/regex/regex-programs.js';
import { OK_STATUS } from '../../client/policy-status.js';
import type { Instance } from '../instance.js';
import type { HandlerObject } from '../rule-objects.js';
import { valueText } from '../value-text.js';
import type { AdapterDecision, AdapterEnvironment } from './adapter.js';
import { denierDecision } from './denier.js';
import { compileOwnList, createListDecision } from './listchecker.js';
import { createRbacDecision } from './rbac.js';

export interface PredictEnvironment extends Pick<AdapterEnvironment, 'judgeBy'> {
  readonly programs: RegexPrograms;
}

/** The decision of a handler that depends on nothing but its parameters and the request; undefined for other handlers. */
export function predictCheck(
  { key, spec, adapter, authorization }: HandlerObject,
  instance: Instance,
  { programs, judgeBy }: PredictEnvironment,
): AdapterDecision | undefined {
  if (adapter.type === 'own') return undefined;
  switch (spec.compiledAdapter) {
    case 'denier':
      return denierDecision(spec.params as DenierParams);
    case 'listchecker': {
      const params = spec.params as ListcheckerParams;
      const text = valueText(instance.values.get('value'));
      const found = compileOwnList(params, { programs, namespace: key.split('/')[1] ?? '' })(text);
      // The rest of the list is at a URL.
      return found === false && params.providerUrl ? undefined : createListDecision(params)(text, found);
    }
    case 'rbac': {
      if (authorization === undefined) return undefined;
      return createRbacDecision(judgeBy(authorization), authorization.namespace)(instance).decision;
    }
    case 'noop':
      return { status: OK_STATUS };
    default:
      return undefined;
  }
}
