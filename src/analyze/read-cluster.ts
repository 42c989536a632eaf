import { errorText } from '../base/error-text.js';
import { apiVersionOf } from '../config/kind-definition.js';
import type { KindRegistry } from '../config/kinds.js';
import type { ApiClient } from '../kubernetes/client/api-client.js';
import { ApiError } from '../kubernetes/client/api-error.js';
import { listObjects } from '../kubernetes/watch/list-objects.js';
import { pathsOf, type Resource, resourceName } from '../kubernetes/watch/resource.js';
import { watchedResources } from '../sources/kubernetes/watched-resources.js';
import { InputError } from './input-error.js';
import type { InputText } from './read-inputs.js';

const LIMIT_MS = 60_000;

/**
 * Reads the objects of a cluster that the control plane would read. Kinds that the cluster does not have are left out.
 *
 * @param name stands for a file name in findings
 * @throws InputError if the API server does not answer, or does not permit a list
 */
export async function readCluster(api: ApiClient, kinds: KindRegistry, name: string): Promise<readonly InputText[]> {
  const resources = watchedResources({
    kinds,
    namespaces: [],
    useEndpointSlice: true,
    readsCoreKinds: true,
    readsMeshKinds: true,
  });
  const items: object[] = [];
  for (const resource of resources) items.push(...(await listOf(api, resource)));
  return [{ file: name, text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) }];
}

async function listOf(api: ApiClient, resource: Resource): Promise<readonly object[]> {
  const { definition } = resource;
  for (const [index, path] of pathsOf(resource).entries()) {
    // Objects in a list do not name their kind.
    const type = { apiVersion: apiVersionOf(definition, definition.versions[index]), kind: definition.kind };
    const objects: object[] = [];
    try {
      await listObjects(
        api,
        path,
        { signal: AbortSignal.timeout(LIMIT_MS), idleMs: LIMIT_MS },
        {
          onPage: (page) => void objects.push(...page.map((object) => ({ ...object, ...type }))),
          onWarnings: () => undefined,
        },
      );
      return objects;
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 404) continue;
      const reason = errorText(cause);
      throw new InputError(`${resourceName(resource)} cannot be listed: ${reason}; you need the right to list them`, {
        cause,
      });
    }
  }
  return [];
}
