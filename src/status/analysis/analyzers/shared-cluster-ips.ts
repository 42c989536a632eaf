import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Services of one cluster with the same cluster IP: connections to it reach the oldest alone. */
export const findSharedClusterIps: Analyzer = ({ serviceConflicts }) =>
  serviceConflicts.flatMap(({ type, service: { source: object }, text }) =>
    type !== 'cluster IP' ? [] : createMessage('sharedClusterIp', { object, field: 'spec.clusterIP' }, text),
  );
