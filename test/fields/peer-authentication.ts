import type { KindFields } from './kind-fields.js';

const SELECTED = 'a PeerAuthentication selects workloads by labels, and its ports have modes of their own';
const MODES = 'a change of mode is in force for both sides: STRICT, then DISABLE, then STRICT';

export const PEER_AUTHENTICATION: KindFields = {
  kind: 'PeerAuthentication',
  file: 'e2e/mutual-tls.test.ts',
  fields: {
    'PeerAuthentication.selector': { test: SELECTED, file: 'e2e/entries.test.ts' },
    'PolicySelector.matchLabels': { test: SELECTED, file: 'e2e/entries.test.ts' },
    'PeerAuthentication.mtls': MODES,
    'PeerAuthentication.portLevelMtls': { test: SELECTED, file: 'e2e/entries.test.ts' },
    'MutualTLS.mode': MODES,
    'MutualTLS.Mode.UNSET': { test: SELECTED, file: 'e2e/entries.test.ts' },
    'MutualTLS.Mode.DISABLE': MODES,
    'MutualTLS.Mode.PERMISSIVE': 'a caller without a certificate is served in PERMISSIVE, without an identity',
    'MutualTLS.Mode.STRICT': MODES,
  },
};
