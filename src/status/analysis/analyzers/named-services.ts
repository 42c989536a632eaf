import { keyOf } from '../../../config/object.js';
import type { ServicePattern } from '../../../model/policy/service-pattern.js';
import { type Analyzer, allBindings } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Services of bindings that have no name, or a `*` in a place where it matches no host. */
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

/** Services of bindings that do not exist, and wildcards that no service matches. */
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
          : `no service has a host that contains ${pattern.text}`;
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
