import { keyOf } from '../../../config/object.js';
import type { ServicePattern } from '../../../model/policy/service-pattern.js';
import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';
import { allBindings } from '../binding-fields.js';

/** Services of bindings that are not in the mesh, and wildcards that none of its services match. */
export const findMissingServices: Analyzer = ({ services, bindings }) => {
  const hostnames = services.map(({ hostname }) => hostname);
  const known = new Set(hostnames);
  const missing = (pattern: ServicePattern): string | undefined => {
    switch (pattern.type) {
      case 'host':
        return known.has(pattern.hostname) ? undefined : `there is no service ${pattern.hostname}`;
      case 'containing':
        return hostnames.some((hostname) => hostname.includes(pattern.text))
          ? undefined
          : `the host of no service contains ${pattern.text}`;
      case 'every':
      case 'unusable':
        return undefined;
    }
  };
  return allBindings(bindings).flatMap(({ resolved: { binding, services: bound } }) =>
    bound.flatMap(({ pattern }, index) => {
      const text = missing(pattern);
      const where = { object: keyOf(binding), field: `spec.services[${index}]` };
      return text === undefined ? [] : createMessage('missingService', where, text);
    }),
  );
};
