import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { RouteConfiguration } from '../../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { Finding } from '../../model/finding.js';
import { createMemo } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import type { NamedGenerator } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { createSweptMemory, type SweptMemory } from '../swept-memory.js';
import { createViewIndexer } from '../view-index.js';
import { buildGrpcRoute } from './grpc-route.js';
import { type GrpcScope, grpcScopeOf } from './grpc-scope.js';
import { parseTargetName, virtualHostOfTarget } from './target-names.js';

/**
 * The routes of gRPC clients: one table for each target, under the name of the target. A name without a service has no
 * routes, and its calls fail at once. Clients wait 15 seconds for a table that does not come, and some of them for ever
 * where a table has no virtual host.
 */
export function createGrpcRouteGenerator(
  encoder: MessageEncoder,
  { defaultRequestTimeoutMs }: Pick<GeneratorSettings, 'defaultRequestTimeoutMs'>,
): NamedGenerator<GrpcScope> {
  const indexOf = createViewIndexer();
  /** Clients can ask for any name, so tables stay only while a client has them. */
  const tables = createMemo<SweptMemory<EncodedResource>>();
  const findings = createMemo<readonly Finding[]>();

  const build = ({ traffic, caller, dnsDomain }: GrpcScope, name: string): EncodedResource => {
    const target = parseTargetName(name);
    const inputs = { caller, timeoutMs: defaultRequestTimeoutMs };
    const lookup = { traffic, inputs, dnsDomain, index: indexOf(traffic.services) };
    const host = target && virtualHostOfTarget(target, lookup);
    const built = (host?.routes ?? []).flatMap((route) => buildGrpcRoute(encoder, route, name) ?? []);
    const table: RouteConfiguration = {
      name,
      // The target decides which table applies; its virtual host takes every authority that the application sets.
      virtualHosts: [{ name: host?.name ?? name, domains: ['*'], routes: built.map(({ route }) => route) }],
    };
    const resource = encoder.encodeResource(TypeUrl.route, name, table);
    const ignored = new Set(built.flatMap((each) => each.ignored));
    if (ignored.size > 0) findings.of([resource], '', () => [ignoredFields(name, [...ignored])]);
    return resource;
  };

  const tableOf = (context: PushContext, scope: GrpcScope, name: string): EncodedResource => {
    const known = tables.of([context], '', () => createSweptMemory());
    const key = `${scope.key}\n${name}`;
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const table = build(scope, name);
    known.keep(key, table);
    return table;
  };

  return {
    mode: 'named',
    typeUrl: TypeUrl.route,
    affectedBy: ({ full }) => full,
    scope: grpcScopeOf,
    generate: tableOf,
    findings: (context, scope, name) => findings.of([tableOf(context, scope, name)], '', () => []),
  };
}

function ignoredFields(name: string, fields: readonly string[]): Finding {
  return {
    metric: 'nav_grpc_unsupported',
    key: `route ${name}`,
    message:
      `the routes of ${name} have fields that gRPC clients do not have: ${fields.join(', ')}; calls without a proxy ` +
      'ignore these fields, and fail with UNAVAILABLE on a route that does not lead to a destination',
  };
}
