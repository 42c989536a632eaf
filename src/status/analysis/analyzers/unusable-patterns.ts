import { keyOf } from '../../../config/object.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

/** Services of bindings without a name, and wildcards that match nothing (BEHAVIOUR 5, "any other `*` use"). */
export const findUnusablePatterns: Analyzer = ({ bindings }) =>
  allBindings(bindings).flatMap(({ resolved: { binding, services } }) =>
    services.flatMap(({ pattern }, index) =>
      pattern.type !== 'unusable'
        ? []
        : createMessage(
            'unusableServicePattern',
            { object: keyOf(binding), field: `spec.services[${index}]${pattern.text === '' ? '' : '.service'}` },
            pattern.text === ''
              ? 'it has neither name nor service, so it matches no service'
              : `${JSON.stringify(pattern.text)} matches no service`,
          ),
    ),
  );
