import { declareAttackTests } from './support/shared-cluster.js';
import { survives } from './support/survives.js';

// Peers that begin something and wait: they take little of the processor.
await declareAttackTests(
  survives(['half-open-connections']),
  survives(['half-open-streams']),
  survives(['half-sent-certificate-requests']),
  survives(['half-sent-checks']),
  survives(['half-sent-discovery-requests']),
  survives(['slow-metrics-readers']),
  survives(['slow-review-bodies']),
  survives(['unread-streams']),
);
