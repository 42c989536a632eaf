import type { ServiceConfig } from '../../../config/policy/client-config.js';
import { unpackResource } from '../../../xds-client/discovery-messages.js';
import type { ServiceConfigReader } from './service-config-reader.js';

interface ServiceEntry {
  readonly bytes: Buffer;
  readonly config: ServiceConfig;
}

/** Services by host, as one response gave them. */
export type ServiceSet = ReadonlyMap<string, ServiceEntry>;

/** Problems that a refusal tells of; a server with a fault may have thousands. */
const MAX_PROBLEMS = 5;

/**
 * The services of a response. A service whose bytes are those of before keeps its very object. A response is taken as a
 * whole or not at all: were its good resources taken, the version in force would be none that anybody sent.
 *
 * @throws Error that names the resources that cannot be taken, and why
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
      if (services.has(name)) throw new Error(`${JSON.stringify(name)} comes twice`);
      const before = previous.get(name);
      services.set(name, before?.bytes.equals(bytes) ? before : readEntry(name, bytes, read));
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  if (problems.length === 0) return services;
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : '';
  throw new Error(`${problems.slice(0, MAX_PROBLEMS).join('; ')}${more}`);
}

function readEntry(name: string, bytes: Buffer, read: ServiceConfigReader): ServiceEntry {
  try {
    // The bytes are copied, for they are a part of the whole response, which would be kept with them.
    return { bytes: Buffer.from(bytes), config: read(bytes) };
  } catch (cause) {
    throw new Error(`${JSON.stringify(name)}: ${errorMessage(cause)}`, { cause });
  }
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
