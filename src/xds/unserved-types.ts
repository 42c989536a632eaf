import { TypeUrl } from '../envoy/type-urls.js';
import type { Logger } from '../telemetry/logger.js';
import { shorten } from './shorten.js';
import { StreamError } from './stream-error.js';
import { v3TypeOf } from './v2-types.js';

const MAX_TYPES = 16;
/** No type has a longer name, and a peer's name may have megabytes. */
const MAX_TYPE_CHARACTERS = 256;

/** What one proxy asks for in vain: told once for each type, of which there are as many as the proxy likes. */
export class UnservedTypes {
  readonly #told = new Set<string>();

  /**
   * @param served what it could ask for
   * @throws StreamError for a type of v2, which the proxy wants in place of ours
   */
  ignore(typeUrl: string, connection: string, served: Iterable<string>, logger: Logger): void {
    const v3 = v3TypeOf(typeUrl);
    if (v3 !== undefined) throw new StreamError('INVALID_ARGUMENT', `invalid type ${typeUrl}, expected ${v3}`);
    const name = shorten(typeUrl, MAX_TYPE_CHARACTERS);
    if (this.#told.has(name) || this.#told.size >= MAX_TYPES) return;
    this.#told.add(name);
    if (typeUrl === TypeUrl.secret) {
      const remedy = 'connect to the secured port, with a certificate or a token of a workload of this trust domain';
      logger.warn(
        { connection, remedy },
        'Proxy asks for secrets on a stream that proves no identity of ours; it gets none',
      );
      return;
    }
    logger.warn(
      { connection, typeUrl: name, served: [...served] },
      'Proxy asks for a resource type that is not served; the request is ignored',
    );
  }
}
