import type { MessageCode } from './message-codes.js';

/** Codes about Plans and Consumers (from 0291). */
export const PLAN_MESSAGE_CODES = {
  consumerWithoutKeys: {
    code: 'MESH0291',
    level: 'Warn',
    title: 'A Consumer has no keys, so no request belongs to it.',
    remedy: 'add the hash of a key, or a Secret with keys, to its keys',
  },
  unusableKeys: {
    code: 'MESH0292',
    level: 'Error',
    title: 'A Secret that a Consumer names gives no keys, so requests with its keys get 401.',
    remedy:
      'create or correct the Secret in the namespace of the Consumer, or let the control plane read it (docs/plans.md#keys)',
  },
  keyInUse: {
    code: 'MESH0293',
    level: 'Warn',
    title: 'A key of a Consumer belongs to an older Consumer of the same Plan, so its requests count there.',
    remedy: 'give the Consumer a key of its own, and remove this one',
  },
  tooManyKeys: {
    code: 'MESH0294',
    level: 'Error',
    title:
      'The Consumers of a Plan have too many keys together. Requests with the keys of the youngest Consumers get 401.',
    remedy: 'remove old keys, or divide the Consumers between several Plans',
  },
  planWithoutConsumers: {
    code: 'MESH0295',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'No Consumer has a Plan that allows no requests without a key, so the Plan admits no request.',
    remedy: 'create a Consumer that names the Plan, or set anonymous',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;
