import type { Analyzer } from '../analysis-input.js';
import { createMessage } from '../analysis-message.js';

/** Services of one cluster with the same cluster IP: connections to it reach only the oldest. */
export const findSharedClusterIps: Analyzer = ({ serviceConflicts }) =>
  serviceConflicts.flatMap(({ type, service: { source: object }, text }) =>
    type !== 'cluster IP' ? [] : createMessage('sharedClusterIp', { object, field: 'spec.clusterIP' }, text),
  );

/** Hosts that objects of several namespaces claim, if one namespace sees several of them. */
export const findDuplicateHosts: Analyzer = ({ serviceConflicts }) =>
  serviceConflicts.flatMap(({ type, service: { source: object }, text }) =>
    type !== 'host' ? [] : createMessage('duplicateHost', { object }, text),
  );
