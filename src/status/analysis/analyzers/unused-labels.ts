import { keyOf } from '../../../config/object.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

/** Labels of a binding's services, which would narrow the policy to one version and do not. */
export const findUnusedLabels: Analyzer = ({ bindings }) =>
  allBindings(bindings).flatMap(({ resolved: { binding, services } }) =>
    services.flatMap(({ source }, index) =>
      Object.keys(source.labels).length === 0
        ? []
        : createMessage(
            'unusedServiceLabels',
            { object: keyOf(binding), field: `spec.services[${index}].labels` },
            'the labels are not looked at',
          ),
    ),
  );
