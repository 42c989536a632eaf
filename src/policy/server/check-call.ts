import {
  CLIENT_CONFIG_METADATA,
  CONNECTION_ID_METADATA,
  CONNECTION_TIME_METADATA,
  SERVICE_METADATA,
} from '../wire/call-metadata.js';
import { ANONYMOUS, type Caller } from './callers/caller.js';

/** The data of a Check from its connection and gRPC metadata. */
export interface CheckCall {
  /** Anonymous unless given. */
  readonly caller?: Caller;
  /** Identity or address of the caller, for a fair share of the server. */
  readonly peer?: string;
  /** The proxy's own configuration. */
  readonly configText?: string | undefined;
  /** Host of the one service of its chain. */
  readonly service?: string | undefined;
  /** Id and opening time of a TCP connection, as in the access log. */
  readonly connectionId?: string | undefined;
  readonly connectionTimeNs?: bigint | undefined;
}

/** Reads the metadata of a Check. Missing values and unfilled placeholders of Envoy are left out. */
export function readCheckCall(
  metadataText: (key: string) => string | undefined,
  caller: Caller = ANONYMOUS,
  peer = '',
): CheckCall {
  const text = (key: string): string | undefined => {
    const value = metadataText(key);
    return value === undefined || value === '' || value === '-' ? undefined : value;
  };
  return {
    caller,
    peer,
    configText: text(CLIENT_CONFIG_METADATA),
    service: text(SERVICE_METADATA),
    connectionId: text(CONNECTION_ID_METADATA),
    connectionTimeNs: readSeconds(text(CONNECTION_TIME_METADATA)),
  };
}

/** Seconds since 1970-01-01T00:00:00Z with nine decimals. */
function readSeconds(text: string | undefined): bigint | undefined {
  const match = text === undefined ? null : /^(\d{1,12})\.(\d{9})$/.exec(text);
  return match === null ? undefined : BigInt(`${match[1]}${match[2]}`);
}
