import { createTokenUser } from './support/probes/token-user.js';
import { declareAttackTests } from './support/shared-cluster.js';
import { survives } from './support/survives.js';

await declareAttackTests(
  // Full size needs processors that no other test uses: npm run attack -- dns-floods dns-half-sent dns-unread-answers
  survives(['dns-floods', 'dns-half-sent', 'dns-unread-answers'], { scale: 0.2 }),
  survives(['header-flood']),
  survives(['invented-tokens'], { moreUsers: async (server) => [await createTokenUser(server)] }),
  survives(['ping-flood']),
  survives(['pipelined-metrics']),
  survives(['pipelined-pages']),
  survives(['random-frames']),
  survives(['rapid-reset']),
);
