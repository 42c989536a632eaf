import { bool, text } from '../values/scalar-types.js';
import { discoveryFlags } from './discovery-flags.js';
import { type OutputFlags, outputFlags } from './output-flags.js';
import { type ServerFlags, serverFlags } from './server-flags.js';
import type { FlagTable } from './setting.js';

/** The values of the flags of `policy why`. */
export interface PolicyWhyFlags extends ServerFlags, OutputFlags {
  readonly headers: readonly string[];
  /** `<namespace>/<service account>`; empty: the caller has no certificate. */
  readonly from: string;
  /** Address of the caller; empty if it is not given. */
  readonly ip: string;
  readonly attributes: boolean;
  /** Path; empty if it is not given. */
  readonly policyConfigFile: string;
}

/** The flags of `policy why`. The flags of `discovery` that it shares are read with those of `discovery`. */
export const policyWhyFlags: FlagTable<PolicyWhyFlags> = {
  headers: {
    name: 'header',
    shorthand: 'H',
    type: {
      name: 'stringArray',
      parse: (occurrences) => ({ ok: true, value: occurrences.filter((each) => each !== '') }),
    },
    default: '',
    meaning: 'Header of the request, as "Name: value"; may be repeated',
    addition: true,
  },
  from: {
    name: 'from',
    type: text,
    default: '',
    meaning: 'Caller with a certificate of the mesh, as <namespace>/<service account>. If not set, the caller has none',
    addition: true,
  },
  ip: {
    name: 'ip',
    type: text,
    default: '',
    meaning: 'IP address that the connection comes from, for rules about ipBlocks and source.ip',
    addition: true,
  },
  attributes: {
    name: 'attributes',
    type: bool,
    default: 'false',
    meaning: 'Print all attributes of the request too',
    addition: true,
  },
  policyConfigFile: {
    ...discoveryFlags.policyConfigFile,
    default: '',
    meaning: "The policy server's file, which has the limits; without it, limits are not shown",
  },
  ...serverFlags,
  ...outputFlags,
};

/** Flags of `discovery` that `policy why` accepts too. */
export const sharedPolicyWhyFlags = {
  meshConfigFile: {
    ...discoveryFlags.meshConfigFile,
    default: '',
    meaning: 'File of the mesh config, if objects come from files; without it, defaults',
  },
  domain: discoveryFlags.domain,
  trustDomain: discoveryFlags.trustDomain,
} as const;
