import test from 'ava';
import type { HttpApiSpec } from '../../../src/config/policy/http-api-spec.js';
import type { QuotaSpec } from '../../../src/config/policy/quota-spec.js';
import { createAttributeBag } from '../../../src/policy/client/attribute-bag.js';
import { readAttributes } from '../../../src/policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { compileQuotaSpecs } from '../../../src/policy/client/compile-quota-specs.js';
import { headerMapOf } from '../../../src/policy/client/header-map.js';
import { deriveHttpAttributes } from '../../../src/policy/client/http-attributes.js';
import { readObject } from '../../config/support/read-yaml.js';

const API = `
apiVersion: config.mesh.internal/v1alpha2
kind: HTTPAPISpec
metadata: {name: pets}
spec:
  attributes:
    attributes:
      api.service: {stringValue: petstore}
  patterns:
    - {httpMethod: GET, uriTemplate: '/pets/{id}', attributes: {attributes: {api.operation: {stringValue: getPet}}}}
    - {httpMethod: GET, uriTemplate: '/words/{term:1}/{term}', attributes: {attributes: {api.operation: {stringValue: word}}}}
    - {httpMethod: GET, uriTemplate: '/search{?q,lang}', attributes: {attributes: {api.operation: {stringValue: search}}}}
    - {httpMethod: POST, regex: '/pets(/.*)?', attributes: {attributes: {api.operation: {stringValue: addPet}}}}
  apiKeys:
    - {query: token}
    - {header: X-Token}
`;

const QUOTAS = `
apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpec
metadata: {name: limits}
spec:
  rules:
    - quotas: [{quota: requests}]
    - match: [{clause: {api.operation: {exact: addPet}, request.httpmethod: {exact: POST}}}]
      quotas: [{quota: writes, charge: 5}]
    - match: [{clause: {request.api_key: {prefix: trial-}}}, {clause: {source.uid: {regex: '.*-free-[0-9]+'}}}]
      quotas: [{quota: free}]
`;

const api = compileApiSpecs([readObject(API).body as HttpApiSpec]);
const quota = compileQuotaSpecs([readObject(QUOTAS).body as QuotaSpec]);
const FORWARDED = readAttributes({ attributes: { 'source.uid': { stringValue: 'pod-free-7' } } }, 'forwardAttributes');

const REQUESTS: readonly (readonly [string, string, string, boolean, string, readonly string[]])[] = [
  ['GET', '/pets/7', '', false, 'getPet', ['requests 1']],
  ['GET', '/words/d/dog', '', false, 'word', ['requests 1']],
  ['GET', '/words/do/dog', '', false, 'nothing', ['requests 1']],
  ['GET', '/search?lang=en', '', false, 'search', ['requests 1']],
  ['POST', '/pets', '', false, 'addPet', ['requests 1', 'writes 5']],
  ['POST', '/pets?token=trial-1', '', false, 'nothing', ['requests 1', 'free 1']],
  ['POST', '/pets/x?token=trial-1', '', true, 'addPet', ['requests 1', 'writes 5', 'free 1']],
  ['GET', '/pets/7', 'trial-2', false, 'getPet', ['requests 1', 'free 1']],
  ['GET', '/pets/7', '', true, 'getPet', ['requests 1', 'free 1']],
];

for (const [method, target, key, isForwarded, operation, expected] of REQUESTS) {
  const caller = `${key === '' ? '' : ` with key ${key}`}${isForwarded ? ' from a free pod' : ''}`;
  test(`by specs in YAML ${method} ${target}${caller} is ${operation} and costs ${expected.join(', ')}`, (t) => {
    t.deepEqual([api.problems, quota.problems], [[], []]);
    const requestDerived = deriveHttpAttributes(
      {
        method,
        host: 'pets',
        target,
        headers: headerMapOf([['X-TOKEN', key]]),
        timeNs: 0n,
        connection: { isMtls: false },
      },
      api,
    );
    const bag = createAttributeBag({
      staticFilter: new Map(),
      requestDerived,
      ...(isForwarded ? { forwardedRoute: FORWARDED } : {}),
      ignoreForwarded: false,
      isGateway: false,
    });
    t.is(bag.get('api.operation')?.value ?? 'nothing', operation);
    const charges = quota.chargesFor(bag).map(({ quota: name, charge }) => `${name} ${charge}`);
    t.deepEqual(charges, expected);
  });
}
