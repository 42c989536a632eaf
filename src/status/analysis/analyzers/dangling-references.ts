import { keyOf } from '../../../config/object.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

/** References of bindings to specs that do not exist. */
export const findDanglingReferences: Analyzer = ({ bindings }) =>
  allBindings(bindings).flatMap(({ resolved: { binding, references }, referencesField }) =>
    references.flatMap(({ key, spec, isGranted }, index) =>
      spec !== undefined || !isGranted
        ? []
        : createMessage(
            'missingReference',
            { object: keyOf(binding), field: `spec.${referencesField}[${index}]` },
            `${key} does not exist`,
          ),
    ),
  );
