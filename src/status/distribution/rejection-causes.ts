import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { WorkloadEntrySpec } from '../../config/networking/workload-entry.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from '../../config/policy/bindings.js';
import { servicePatternOf } from '../../model/policy/service-pattern.js';
import type { PushContext } from '../../model/push-context.js';
import { kindOfKey } from '../../model/push-request.js';

/**
 * The objects that can have caused a rejection: of those that changed since what the proxy accepted last, the ones
 * that its text names, or else all of them. Where nothing is known of what it had, only what the text names counts.
 *
 * @param changed undefined when it is not known, as for a proxy that has accepted nothing yet
 */
export function rejectionCauses(
  text: string,
  changed: ReadonlySet<ObjectKey> | undefined,
  context: PushContext,
): readonly ObjectKey[] {
  const candidates = [...(changed ?? allKeys(context))].sort();
  const named = candidates.filter((key) => {
    const object = context.objects.get(kindOfKey(key))?.get(key);
    return object !== undefined && namesOf(object, context.domain).some((name) => hasName(text, name));
  });
  if (named.length > 0) return named;
  return changed === undefined ? [] : candidates;
}

function* allKeys({ objects }: PushContext): Iterable<ObjectKey> {
  for (const table of objects.values()) yield* table.keys();
}

/** What clusters, listeners, routes and filters that are made of an object are named by. */
function namesOf({ kind, metadata, body }: MeshObject, domain: string): readonly string[] {
  switch (kind) {
    case 'ServiceEntry':
      return (body as ServiceEntrySpec).hosts;
    case 'WorkloadEntry':
      return [(body as WorkloadEntrySpec).address];
    case 'Service':
      return [`${metadata.name}.${metadata.namespace}.svc.${domain}`];
    case 'QuotaSpecBinding':
    case 'HTTPAPISpecBinding':
      return (body as QuotaSpecBinding | HttpApiSpecBinding).services.flatMap((service) => {
        const pattern = servicePatternOf(service, metadata.namespace, domain);
        return pattern.type === 'host' ? [pattern.hostname] : [];
      });
    default:
      return [];
  }
}

/** The name as a whole: `a.com` is not in `aa.com`, but in `outbound|80||a.com`. */
function hasName(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + name.length);
    if (!/[\w.-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}
