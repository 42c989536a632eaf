import { nearestName } from '../../../base/nearest-name.js';
import { keyOf, type MeshObject } from '../../../config/object.js';
import { shownValue } from '../../../model/service.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { annotationsOf, isAnnotationOf, kindsOfAnnotation } from '../known-annotations.js';
import type { TrafficIndex } from '../traffic/traffic-index.js';

/** Kinds whose annotations users write. The injection webhook rejects wrong annotations of pods. */
const KINDS = [
  'Namespace',
  'Service',
  'ServiceEntry',
  'WorkloadEntry',
  'VirtualService',
  'DestinationRule',
  'Gateway',
  'Sidecar',
  'EnvoyFilter',
  'AuthorizationPolicy',
  'PeerAuthentication',
  'RequestAuthentication',
];
const MAX_PER_OBJECT = 10;

/**
 * Annotations of the mesh on objects of kinds that do not have them. Unknown annotations of the group `policy` on
 * Services, ServiceEntries and Namespaces are among the refused annotations.
 */
export function findMisplacedAnnotations(index: TrafficIndex): readonly AnalysisMessage[] {
  return KINDS.flatMap((kind) => [...index.objectsOf(kind)].flatMap((object) => aboutObject(object, index)));
}

function aboutObject(object: MeshObject, { meshDomain }: TrafficIndex): readonly AnalysisMessage[] {
  const { kind, metadata } = object;
  const names = Object.keys(metadata.annotations).filter((name) => isOfMesh(name, meshDomain));
  return names
    .flatMap((name) => {
      if (isAnnotationOf(name, kind, meshDomain)) return [];
      const where = { object: keyOf(object), field: `metadata.annotations[${shownValue(name)}]` };
      const kinds = kindsOfAnnotation(name, meshDomain);
      if (kinds.length > 0) {
        const text = `the annotation has no effect on a ${kind}, only on a ${kinds.join(' or ')}`;
        return [createMessage('misplacedAnnotation', where, text)];
      }
      if (isAmongRefused(name, kind, meshDomain)) return [];
      const nearest = nearestName(name, annotationsOf(kind, meshDomain));
      const hint = nearest === undefined ? '' : `: did you mean ${nearest}?`;
      return [createMessage('unknownAnnotation', where, `the mesh has no such annotation${hint}`)];
    })
    .slice(0, MAX_PER_OBJECT);
}

function isOfMesh(name: string, meshDomain: string): boolean {
  const [group = ''] = name.split('/');
  return name.includes('/') && (group === meshDomain || group.endsWith(`.${meshDomain}`));
}

function isAmongRefused(name: string, kind: string, meshDomain: string): boolean {
  return name.startsWith(`policy.${meshDomain}/`) && ['Namespace', 'Service', 'ServiceEntry'].includes(kind);
}
