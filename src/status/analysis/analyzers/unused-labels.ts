import { keyOf } from '../../../config/object.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Labels of an HTTPAPISpecBinding's services: what an API generates is the same for all workloads of a service. */
export const findUnusedLabels: Analyzer = ({ bindings }) =>
  bindings.apis.bindings.flatMap(({ binding, services }) =>
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
