import { keyOf } from '../../../config/object.js';
import { type Analyzer, allBindings } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

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

/** QuotaSpecs and HTTPAPISpecs that no binding names. */
export const findUnboundSpecs: Analyzer = ({ objects, bindings }) => {
  const bound = new Set(
    allBindings(bindings).flatMap(({ resolved: { references } }) =>
      references.filter(({ isGranted }) => isGranted).map(({ key }) => key),
    ),
  );
  return ['QuotaSpec', 'HTTPAPISpec'].flatMap((kind) =>
    [...(objects.get(kind)?.keys() ?? [])]
      .filter((key) => !bound.has(key))
      .map((object) => createMessage('unboundSpec', { object }, `no ${kind}Binding names this ${kind}`)),
  );
};
