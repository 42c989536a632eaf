import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { createMessageEncoder } from '../../src/envoy/message-encoder.js';
import { createMessageJson, type Json } from '../../src/envoy/message-json.js';
import { withPatchMessages } from '../../src/envoy/messages/patch-registry.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { compareNames } from '../../src/envoy/resource-set.js';
import type { Generated, WildcardGenerator } from '../../src/generators/generator.js';
import type { Proxy } from '../../src/model/proxy.js';
import type { PushContext } from '../../src/model/push-context.js';
import { createConfigEncoder } from '../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../src/policy/wire/policy-protos.js';

/** Loaded once per test process: it takes 100 ms. */
const registry = loadProtoRegistry();
export const ENCODER = createMessageEncoder(registry);
export const CONFIG_ENCODER = createConfigEncoder(createMessageEncoder(loadPolicyProtos()));
/** EnvoyFilters add messages of types that the generators do not use. */
const messageJson = createMessageJson(withPatchMessages(registry));

/** Everything of a type that one proxy is served without asking by name, in the order of its parts. */
export function generateAll(generator: WildcardGenerator, context: PushContext, proxy: Proxy): Generated {
  const resources: EncodedResource[] = [];
  const findings: Generated['findings'][number][] = [];
  for (const part of generator.parts) {
    const scope = part.scope(context, proxy);
    if (scope === undefined) continue;
    const generated = part.generate(context, scope);
    const needed = part.neededNames?.(context, proxy);
    const served = generated.resources.filter(({ name }) => needed?.includes(name) ?? true);
    resources.push(...served.toSorted(compareNames));
    findings.push(...generated.findings);
  }
  return { resources, findings };
}

/** A message as JSON, to be looked into by path. */
export function toJson(resource: EncodedResource): Json {
  return messageJson.resourceToJson(resource);
}

/** The value at a path in JSON, for example `filterChains.0.name`; undefined where there is none. */
export function at(json: Json | undefined, path: string): Json | undefined {
  let current: Json | undefined = json;
  for (const step of path.split('.')) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = Array.isArray(current) ? current[Number(step)] : current[step];
  }
  return current;
}
