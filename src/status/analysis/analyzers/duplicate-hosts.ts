import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Hosts that objects of several namespaces claim, which some namespaces see together: each is served one of them. */
export const findDuplicateHosts: Analyzer = ({ serviceConflicts }) =>
  serviceConflicts.flatMap(({ type, service: { source: object }, text }) =>
    type !== 'host' ? [] : createMessage('duplicateHost', { object }, text),
  );
