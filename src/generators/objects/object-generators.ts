import { redactSecrets } from '../../base/redact-secrets.js';
import { apiVersionOf, type KindDefinition } from '../../config/kind-definition.js';
import type { MeshObject } from '../../config/object.js';
import { objectForm } from '../../config/object-form.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameNamedResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { type StructValue, struct } from '../../envoy/struct.js';
import { createMemo } from '../../model/memo.js';
import { kindOfKey } from '../../model/push-request.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../generator.js';

export interface ObjectScope extends Scope {
  /** The namespace of the objects; undefined for all of them. */
  readonly namespace: string | undefined;
}

const STRUCT = 'type.googleapis.com/google.protobuf.Struct';

/**
 * The objects of each kind of the mesh as resources: of the type `<group>/<version>/<Kind>`, with the name
 * `<namespace>/<name>`, as a `google.protobuf.Struct` in the form of files without the values of secret fields. A client
 * without `Proxy.readsObjects` gets none. An object is encoded again only when it has changed.
 */
export function createObjectGenerators(
  encoder: Pick<MessageEncoder, 'encode'>,
  definitions: readonly KindDefinition[],
): readonly WildcardGenerator[] {
  const memo = createMemo<EncodedResource>();

  const encode = (object: MeshObject): EncodedResource =>
    memo.of([object], '', () => {
      const { namespace, name } = object.metadata;
      const form = JSON.parse(JSON.stringify(objectForm(object), redactSecrets)) as Record<string, StructValue>;
      const fullName = namespace === '' ? name : `${namespace}/${name}`;
      return frameNamedResource(STRUCT, fullName, encoder.encode(STRUCT, struct(form)));
    });

  const generatorOf = (definition: KindDefinition): WildcardGenerator => {
    const { kind } = definition;
    const apiVersion = apiVersionOf(definition);
    const part: ResourcePart<ObjectScope> = {
      name: 'objects',
      scope: (_context, { readsObjects, configNamespace }) => {
        if (readsObjects === undefined) return undefined;
        const namespace = readsObjects === 'all' ? undefined : configNamespace;
        return { key: namespace === undefined ? 'all' : `namespace ${namespace}`, namespace };
      },
      generate: ({ objects }, { namespace }) => {
        const resources: EncodedResource[] = [];
        for (const object of objects.get(kind)?.values() ?? []) {
          const isMeant = namespace === undefined || object.metadata.namespace === namespace;
          if (isMeant && object.apiVersion === apiVersion) resources.push(encode(object));
        }
        return { resources, findings: [] };
      },
    };
    return {
      mode: 'wildcard',
      typeUrl: `${apiVersion}/${kind}`,
      parts: [part],
      affectedBy: ({ changed }) => changed === 'everything' || [...changed].some((key) => kindOfKey(key) === kind),
    };
  };

  // Kinds of Kubernetes are left to its API server.
  return definitions.filter(({ unknownFields }) => unknownFields === 'refused').map(generatorOf);
}
