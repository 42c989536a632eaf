import test from 'ava';
import { refusalsOf } from '../support/read-yaml.js';

const refusals = (patch: string, rest = '') =>
  refusalsOf(
    `{apiVersion: networking.mesh.internal/v1beta1, kind: EnvoyFilter, metadata: {name: f}, spec: {configPatches: [${patch}]${rest}}}`,
  ).map((text) => text.replace('EnvoyFilter default/f: spec.', ''));

const LUA = "'@type': type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua";
const INSERT = `applyTo: HTTP_FILTER, patch: {operation: INSERT_FIRST, value: {name: lua, typed_config: {${LUA}`;

const accepted: readonly (readonly [string, string])[] = [
  ['a filter with names in snake case', `{${INSERT}, default_source_code: {inline_string: x}}}}}`],
  ['a filter with names in camel case', `{${INSERT}, defaultSourceCode: {inlineString: x}}}}}`],
  ['numbers in names', '{applyTo: LISTENER, patch: {operation: MERGE, value: {use_original_dst: true}}}'],
  [
    'a part of a message that is merged',
    '{applyTo: CLUSTER, patch: {operation: MERGE, value: {connect_timeout: 1.5s}}}',
  ],
  ['removal', '{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {vhost: {name: x}}}, patch: {operation: REMOVE}}'],
  [
    'a type that the control plane does not know, as a struct',
    `{applyTo: HTTP_FILTER, patch: {operation: ADD, value: {name: x, typed_config: {'@type': type.googleapis.com/xds.type.v3.TypedStruct, type_url: type.googleapis.com/new.Filter, value: {a: [1, {b: null}]}}}}}`,
  ],
];

for (const [what, patch] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusals(patch), []);
  });
}

const PATCH = 'configPatches[0]';
const refused: readonly (readonly [string, string, string])[] = [
  [
    'an unknown type',
    "{applyTo: HTTP_FILTER, patch: {operation: ADD, value: {name: x, typed_config: {'@type': type.googleapis.com/no.Such}}}}",
    `${PATCH}.patch.value.typed_config.@type: "type.googleapis.com/no.Such": is not a message type of Envoy that the control plane knows; correct the name, or put the fields into value of type.googleapis.com/xds.type.v3.TypedStruct and the name into its type_url`,
  ],
  [
    'a misspelt field',
    `{${INSERT}, inline_codes: x}}}}`,
    `${PATCH}.patch.value.typed_config.inline_codes: "x": is not a field of envoy.extensions.filters.http.lua.v3.Lua; did you mean inline_code?`,
  ],
  [
    'a value of the wrong type',
    '{applyTo: CLUSTER, patch: {operation: MERGE, value: {connect_timeout: 5}}}',
    `${PATCH}.patch.value.connect_timeout: 5: is not a number of seconds such as "1.5s"; write a number of seconds such as "1.5s"`,
  ],
  [
    'two members of one choice',
    '{applyTo: HTTP_ROUTE, patch: {operation: MERGE, value: {route: {}, redirect: {}}}}',
    `${PATCH}.patch.value.redirect: {}: excludes route, which is set too; keep one of them`,
  ],
  [
    'an added message that Envoy would reject',
    '{applyTo: VIRTUAL_HOST, patch: {operation: ADD, value: {name: x}}}',
    `${PATCH}.patch.value.domains: []: has 0 items; give it at least 1`,
  ],
  [
    'a merged value that is out of range',
    '{applyTo: CLUSTER, patch: {operation: MERGE, value: {connect_timeout: 0s}}}',
    `${PATCH}.patch.value.connectTimeout: a mapping: is too small; use more than 0s`,
  ],
  [
    'a match of another part',
    '{applyTo: CLUSTER, match: {listener: {portNumber: 80}}, patch: {operation: REMOVE}}',
    `${PATCH}.match.listener: a mapping: does not fit applyTo CLUSTER; use cluster`,
  ],
  [
    'an operation that does not apply',
    '{applyTo: CLUSTER, patch: {operation: INSERT_FIRST, value: {name: x}}}',
    `${PATCH}.patch.operation: "INSERT_FIRST": does not apply to CLUSTER; use MERGE, ADD, REMOVE`,
  ],
  [
    'a patch without its value',
    '{applyTo: CLUSTER, patch: {operation: MERGE}}',
    `${PATCH}.patch.value: is missing; write the message of Envoy that is merged or added`,
  ],
  [
    'a value of REMOVE',
    '{applyTo: CLUSTER, patch: {operation: REMOVE, value: {name: x}}}',
    `${PATCH}.patch.value: a mapping: has no effect with REMOVE; remove it, and select the part in match`,
  ],
  [
    'a subFilter of a network filter',
    '{applyTo: NETWORK_FILTER, match: {listener: {filterChain: {filter: {name: x, subFilter: {name: y}}}}}, patch: {operation: REMOVE}}',
    `${PATCH}.match.listener.filterChain.filter.subFilter: a mapping: does not fit applyTo NETWORK_FILTER; use it with applyTo HTTP_FILTER, or remove it`,
  ],
  [
    'an expression that RE2 rejects',
    "{applyTo: CLUSTER, match: {proxy: {proxyVersion: '('}}, patch: {operation: REMOVE}}",
    `${PATCH}.match.proxy.proxyVersion: "(": is not a regular expression: missing closing ): \`(\`; use RE2 syntax, which has no look-around and no back references`,
  ],
  [
    'a Gateway without its namespace',
    '{applyTo: VIRTUAL_HOST, match: {routeConfiguration: {gateway: web}}, patch: {operation: REMOVE}}',
    `${PATCH}.match.routeConfiguration.gateway: "web": is not the name of a Gateway with its namespace; write it as <namespace>/<name>`,
  ],
  [
    'a port beside the name of a cluster',
    '{applyTo: CLUSTER, match: {cluster: {name: x, portNumber: 80}}, patch: {operation: REMOVE}}',
    `${PATCH}.match.cluster.portNumber: 80: has no effect beside name; keep the name, or the other fields`,
  ],
];

for (const [what, patch, message] of refused) {
  test(`${what} is refused with the field, the value and the remedy`, (t) => {
    t.deepEqual(refusals(patch), [message]);
  });
}

test('INVALID is neither a part of the configuration nor an operation', (t) => {
  t.regex(refusals('{applyTo: INVALID, patch: {operation: REMOVE}}').join(), /applyTo: "INVALID"/);
  t.regex(refusals('{applyTo: CLUSTER, patch: {operation: INVALID}}').join(), /operation: "INVALID"/);
});

test('values of more than 256 KiB are refused', (t) => {
  const patch = `{${INSERT}, inline_code: ${'x'.repeat(256 * 1024)}}}}}`;
  t.regex(refusals(patch).join(), /takes 257 KiB, more than the 256 KiB of one EnvoyFilter/);
});

test('a label of the selector that no workload can have is refused', (t) => {
  t.is(refusals('', ', workloadSelector: {labels: {"a b": c}}').length, 1);
});
