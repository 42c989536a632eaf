import { errorText } from '../../../base/error-text.js';
import type { ServiceConfig } from '../../../config/policy/client-config.js';
import { unpackResource } from '../../../xds-client/discovery-messages.js';
import type { ServiceConfigReader } from './service-config-reader.js';

interface ServiceEntry {
  readonly bytes: Buffer;
  readonly config: ServiceConfig;
}

/** Services by host, as one response gave them. */
export type ServiceSet = ReadonlyMap<string, ServiceEntry>;

/** The number of problems in a rejection; a faulty server may cause thousands. */
const MAX_PROBLEMS = 5;

/**
 * The services of a response. A service with unchanged bytes keeps the same object. A response is accepted or rejected
 * as a whole: with only its valid resources, the version in force would be one that no server sent.
 *
 * @throws Error with the rejected resources and their problems
 */
export function readServiceSet(
  resources: readonly Buffer[],
  typeUrl: string,
  previous: ServiceSet,
  read: ServiceConfigReader,
): ServiceSet {
  const services = new Map<string, ServiceEntry>();
  const problems: string[] = [];
  for (const packed of resources) {
    try {
      const { name, bytes } = unpackResource(packed, typeUrl);
      if (services.has(name)) throw new Error(`${JSON.stringify(name)} occurs twice`);
      const before = previous.get(name);
      services.set(name, before?.bytes.equals(bytes) ? before : readEntry(name, bytes, read));
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length === 0) return services;
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : '';
  throw new Error(`${problems.slice(0, MAX_PROBLEMS).join('; ')}${more}`);
}

function readEntry(name: string, bytes: Buffer, read: ServiceConfigReader): ServiceEntry {
  try {
    // A copy, because the bytes are a part of the whole response and would keep it in memory.
    return { bytes: Buffer.from(bytes), config: read(bytes) };
  } catch (cause) {
    throw new Error(`${JSON.stringify(name)}: ${errorText(cause)}`, { cause });
  }
}
