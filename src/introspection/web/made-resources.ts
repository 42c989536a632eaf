import { resolveHost } from '../../config/networking/host-names.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { PUSH_ORDER } from '../../envoy/type-urls.js';
import type { Views } from '../views.js';

/** A resource that a proxy gets because of an object, as far as its content tells. */
export interface MadeResource {
  readonly typeUrl: string;
  readonly resource: EncodedResource;
}

/** Resources of a page. */
const MAX_RESOURCES = 60;

/**
 * The resources of a proxy that name an object: by its hosts, by the name of its policy, or by the patches of an
 * EnvoyFilter. Undefined for a kind that leaves no name in resources.
 */
export function madeResources(
  object: MeshObject,
  domain: string,
  connectionId: string,
  views: Views,
): readonly MadeResource[] | undefined {
  const patch = object.kind === 'EnvoyFilter' ? `${keyOf(object)}[` : undefined;
  const marks = marksOf(object, domain).map((mark) => Buffer.from(mark));
  if (patch === undefined && marks.length === 0) return undefined;
  const made: MadeResource[] = [];
  for (const typeUrl of PUSH_ORDER) {
    for (const resource of views.resourcesOf(connectionId, typeUrl)) {
      if (made.length === MAX_RESOURCES) return made;
      const isMade =
        patch === undefined
          ? marks.some((mark) => hasMark(resource.entry, mark))
          : resource.patches?.some((id) => id.startsWith(patch)) === true;
      if (isMade) made.push({ typeUrl, resource });
    }
  }
  return made;
}

/** Texts that resources contain because of the object. */
function marksOf({ kind, metadata: { name, namespace }, body }: MeshObject, domain: string): readonly string[] {
  const spec = body as { readonly hosts?: unknown; readonly host?: unknown };
  const hosts = [...(Array.isArray(spec.hosts) ? spec.hosts : []), spec.host].filter(
    (host) => typeof host === 'string',
  );
  switch (kind) {
    case 'Service':
      return [`${name}.${namespace}.svc.${domain}`];
    case 'ServiceEntry':
    case 'VirtualService':
    case 'DestinationRule':
      return hosts.map((host) => resolveHost(host, namespace, domain)).filter((host) => host !== '*');
    case 'AuthorizationPolicy':
      return [`ns[${namespace}]-policy[${name}]-`];
    case 'Gateway':
      return [`${namespace}/${name}`];
    default:
      return [];
  }
}

/** Whether the bytes contain the whole name: `b.com` is not in `ab.com`. */
function hasMark(bytes: Buffer, mark: Buffer): boolean {
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    const before = bytes[at - 1];
    // A length before a text can look like a letter, so only a dot or a hyphen means a longer name.
    if (before === undefined || !/[.-]/.test(String.fromCharCode(before))) return true;
  }
  return false;
}
