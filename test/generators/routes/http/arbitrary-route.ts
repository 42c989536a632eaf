import type { HttpAction } from '../../../../src/model/traffic/http-action.js';
import type { HttpMatch, PathMatch, StringMatch } from '../../../../src/model/traffic/http-match.js';
import type { HttpRoute } from '../../../../src/model/traffic/http-route.js';
import fc from '../../../support/property-testing.js';
import { arbitraryHashKey } from '../../clusters/arbitrary-policy.js';

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const percent = fc.double({ min: 0, max: 100, noNaN: true });
const millis = fc.integer({ min: 1, max: 100_000 });
const path = token.map((text) => `/${text}`);

const stringMatch: fc.Arbitrary<StringMatch> = fc.record({
  type: fc.constantFrom('exact', 'prefix', 'regex'),
  value: token,
});
const pathMatch: fc.Arbitrary<PathMatch> = fc.record(
  { type: fc.constantFrom('exact', 'prefix', 'regex'), value: path, ignoreCase: fc.constant(true) },
  { requiredKeys: ['type', 'value'] },
);
/** Envoy refuses to remove some headers of its own, none of which begins so. */
const header = token.map((name) => `x-${name}`);
const named = { name: header, value: stringMatch };

const match: fc.Arbitrary<HttpMatch> = fc.record(
  {
    path: pathMatch,
    scheme: stringMatch,
    method: stringMatch,
    authority: stringMatch,
    headers: fc.array(fc.record({ ...named, isNegated: fc.constant(true) }, { requiredKeys: ['name'] }), {
      maxLength: 3,
    }),
    queryParameters: fc.array(fc.record(named, { requiredKeys: ['name'] }), { maxLength: 3 }),
  },
  { requiredKeys: ['path'] },
);

const operations = fc.record(
  {
    set: fc.dictionary(header, token, { maxKeys: 2 }),
    add: fc.dictionary(header, token, { maxKeys: 2 }),
    remove: fc.array(header, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const headers = fc.record({ request: operations, response: operations }, { requiredKeys: [] });

const destination = fc.record({
  hostname: token.map((name) => `${name}.shop.svc.cluster.local`),
  port: fc.integer({ min: 1, max: 65_535 }),
  subset: fc.record({ name: fc.oneof(fc.constant(''), token), labels: fc.constant({}) }),
});
const weighted = fc
  .record(
    { destination, weight: fc.integer({ min: 1, max: 100 }), headers },
    { requiredKeys: ['destination', 'weight'] },
  )
  .map(({ destination: to, ...rest }) => ({ ...to, ...rest }));

const action: fc.Arbitrary<HttpAction> = fc.oneof(
  fc.record(
    {
      type: fc.constant('forward' as const),
      destinations: fc.array(weighted, { minLength: 1, maxLength: 3 }),
      timeoutMs: fc.oneof(fc.constant(0), millis),
      retries: fc.record(
        {
          conditions: fc.subarray(['5xx', 'reset', 'connect-failure', 'retriable-status-codes'], { minLength: 1 }),
          attempts: fc.integer({ min: 0, max: 10 }),
          statusCodes: fc.array(fc.integer({ min: 200, max: 599 }), { maxLength: 2 }),
          perTryTimeoutMs: millis,
          otherHostAttempts: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: ['conditions', 'attempts'] },
      ),
      mirrors: fc.array(fc.record({ destination, percent }), { maxLength: 2 }),
      rewrite: fc.record({ path, authority: token }, { requiredKeys: [] }),
      hashKey: arbitraryHashKey,
    },
    { requiredKeys: ['type', 'destinations', 'timeoutMs'] },
  ),
  fc.record({ type: fc.constant('passThrough' as const) }),
  fc.record(
    {
      type: fc.constant('redirect' as const),
      status: fc.constantFrom(301, 302, 303, 307, 308),
      path,
      authority: token,
      scheme: fc.constantFrom('http', 'https'),
    },
    { requiredKeys: ['type', 'status'] },
  ),
  fc.record(
    { type: fc.constant('respond' as const), status: fc.integer({ min: 200, max: 599 }), body: token },
    { requiredKeys: ['type', 'status'] },
  ),
);

/** Any route that the traffic model can express, of valid names and numbers. */
export const arbitraryRoute: fc.Arbitrary<HttpRoute> = fc.record(
  {
    name: token,
    match,
    action,
    headers,
    fault: fc.record(
      {
        delay: fc.record({ delayMs: millis, percent }),
        abort: fc.record({
          status: fc.oneof(
            fc.record({ type: fc.constant('http' as const), code: fc.integer({ min: 200, max: 599 }) }),
            fc.record({ type: fc.constant('grpc' as const), code: fc.integer({ min: 1, max: 16 }) }),
          ),
          percent,
        }),
      },
      { requiredKeys: [] },
    ),
    cors: fc.record(
      {
        origins: fc.array(stringMatch, { maxLength: 2 }),
        methods: fc.subarray(['GET', 'POST']),
        requestHeaders: fc.array(token, { maxLength: 2 }),
        exposedHeaders: fc.array(token, { maxLength: 2 }),
        maxAgeMs: millis,
        allowsCredentials: fc.boolean(),
      },
      { requiredKeys: ['origins', 'methods', 'requestHeaders', 'exposedHeaders'] },
    ),
    operation: token,
  },
  { requiredKeys: ['name', 'match', 'action'] },
);
