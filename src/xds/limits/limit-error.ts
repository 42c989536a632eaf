import { StreamError, type StreamErrorCode } from '../stream-error.js';
import { LIMIT_SETTINGS, type LimitName } from './xds-limits.js';

/** A stream ends because its peer met a limit; the message names the limit's setting. */
export class LimitError extends StreamError {
  readonly limit: LimitName;

  /**
   * @param what what the peer did, for example `the request names more than 100000 resources`
   * @param code RESOURCE_EXHAUSTED unless given
   */
  constructor(limit: LimitName, what: string, code: StreamErrorCode = 'RESOURCE_EXHAUSTED') {
    super(code, `${what}; the limit is the setting ${LIMIT_SETTINGS[limit]} of the control plane`);
    this.name = 'LimitError';
    this.limit = limit;
  }
}
