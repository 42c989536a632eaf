import { appendTo } from '../../base/append-to.js';
import type { ServiceEndpoints } from '../../model/endpoint.js';
import type { PushContext } from '../../model/push-context.js';
import { JsonRecord, type JsonSource, listOf, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';
import { endpointJson } from './service-json.js';

/** By service and namespace: {Shards: endpoints by shard key, ServiceAccounts}. */
export const endpointShardz: Page = {
  path: '/debug/endpointShardz',
  description: 'Endpoints of every service, by their registry and cluster',
  audience: 'operator',
  handle: (views) => json(new JsonRecord(services(requireContext(views)))),
};

function* services(context: PushContext): Generator<readonly [string, JsonSource]> {
  const byHost = new Map<string, ServiceEndpoints[]>();
  for (const [, endpoints] of context.endpoints.entries()) {
    appendTo(byHost, endpoints.hostname, endpoints);
  }
  for (const [hostname, ofHost] of [...byHost].sort(([first], [second]) => compareText(first, second))) {
    const sorted = ofHost.sort((first, second) => compareText(first.namespace, second.namespace));
    yield [hostname, new JsonRecord(sorted.map((endpoints) => [endpoints.namespace, shardsJson(endpoints)]))];
  }
}

function shardsJson({ shards, serviceAccounts }: ServiceEndpoints): JsonSource {
  const sorted = [...shards].sort(([first], [second]) => compareText(first, second));
  return recordOf({
    Shards: new JsonRecord(sorted.map(([key, endpoints]) => [key, listOf(endpoints, endpointJson)])),
    ServiceAccounts: serviceAccounts,
  });
}
