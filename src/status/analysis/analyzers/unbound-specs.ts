import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

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
