import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { createConfigEncoder } from '../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../src/policy/wire/policy-protos.js';

const encoder = createConfigEncoder(createMessageEncoder(loadPolicyProtos()));

/** A value of x-mesh-attributes that says so of the attribute, written as proxies write it. */
export const forgeAttribute = (name: string, value: string): string =>
  encoder.attributesText(new Map([[name, { type: 'string', value }]]));
