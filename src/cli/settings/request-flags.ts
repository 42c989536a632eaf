import { remoteAddress } from '../values/text-types.js';
import type { FlagTable } from './setting.js';

/** Whom the `request` command asks. */
export interface RequestFlags {
  /** `host:port` */
  readonly address: string;
}

/** The flags of the `request` command. */
export const requestFlags: FlagTable<RequestFlags> = {
  address: {
    name: 'address',
    type: remoteAddress,
    default: '127.0.0.1:15014',
    meaning: 'host:port of the monitoring port of the server',
    addition: true,
  },
};
