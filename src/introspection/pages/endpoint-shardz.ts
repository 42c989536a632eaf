import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import { JsonRecord, type JsonSource, listOf, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../require-context.js';
import { endpointJson } from './service-json.js';

/** Service, namespace, then {Shards: shard key to endpoints, ServiceAccounts} (BEHAVIOUR 2). */
export const endpointShardz: Page = {
  path: '/debug/endpointShardz',
  description: 'Endpoints of every service by the registry and cluster that they come from',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(services(requireContext(views)))),
};

function* services(context: PushContext): Generator<readonly [string, JsonSource]> {
  const sorted = [...context.endpoints.entries()].sort(([first], [second]) => compareText(first, second));
  for (const [hostname, endpoints] of sorted) {
    yield [hostname, new JsonRecord([[endpoints.namespace, shardsJson(endpoints)]])];
  }
}

function shardsJson({ shards, serviceAccounts }: ServiceEndpoints): JsonSource {
  const sorted = [...shards].sort(([first], [second]) => compareText(first, second));
  return recordOf({
    Shards: new JsonRecord(sorted.map(([key, endpoints]) => [key, listOf(endpoints, endpointJson)])),
    ServiceAccounts: serviceAccounts,
  });
}
