import test from 'ava';
import type { ServiceConfig } from '../../../src/config/policy/client-config.js';
import { ALLOWED } from '../../../src/policy/handlers/policy-handler.js';
import { threadProcessorMs } from '../../support/processor-ms.js';
import fc from '../../support/property-testing.js';
import { checkRequestBytes, createRig, httpCheck, policiesOf } from './policy-server-rig.js';

const BOOKS = 'books.default.svc.cluster.local';

const operation = (name: string) => ({ attributes: { 'api.operation': { stringValue: name } } });

const API: Partial<ServiceConfig> = {
  httpApiSpec: [
    {
      patterns: [
        { httpMethod: 'GET', uriTemplate: '/books/{id}', attributes: operation('get') },
        { httpMethod: '*', uriTemplate: '/files/{path=**}', attributes: operation('files') },
        { httpMethod: 'GET', regex: '/(a|b|ab)*c', attributes: operation('regex') },
      ],
      apiKeys: [{ query: 'key' }, { header: 'x-key' }],
    },
  ],
  quotaSpec: [
    {
      rules: [
        { match: [{ clause: { 'request.path': { regex: '(.*a){10}' } } }], quotas: [{ quota: 'q', charge: 1 }] },
        { match: [{ clause: { 'request.useragent': { prefix: 'curl' } } }], quotas: [{ quota: 'curl', charge: 1 }] },
      ],
    },
  ],
};

test('any path, method, host and headers get an answer', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('/', '%', '?', '&', '=', '#', '..', '%00', '%ff', ':', '*', 'a') }),
  );
  const headers = fc.dictionary(
    fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'content-type', 'x-mesh-attributes', 'x-key')),
    anyText,
  );
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyText, headers, async (path, method, host, fields) => {
      const { status } = await rig.ask(httpCheck({ path, method, host, headers: fields }), { service: BOOKS });
      return status.code === 0;
    }),
    { numRuns: 400 },
  );
  t.false((await rig.scrape()).includes('policy_server_check_failures_total'));
});

test('any bytes get an answer or an error, and the server goes on', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  const valid = checkRequestBytes(httpCheck());
  const damaged = fc.tuple(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length)).map(([at, byte, length]) => {
    const bytes = Buffer.from(valid);
    bytes[at] = byte;
    return bytes.subarray(0, length);
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), damaged), async (bytes) => {
      await rig.server.checks.check(bytes, { service: BOOKS }).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'EnvoyMessageError') throw error;
      });
    }),
    { numRuns: 600 },
  );
  t.is((await rig.ask(httpCheck(), { service: BOOKS })).status.code, 0);
});

test('any gRPC metadata gets an answer or an error by name', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  const bytes = checkRequestBytes(httpCheck());
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.base64String(), fc.string(), async (service, config, id) => {
      const call = { service, configText: config, connectionId: id };
      await rig.server.checks.check(bytes, call).catch((error: unknown) => {
        if (!(error instanceof Error) || error.name !== 'CallConfigError') throw error;
      });
    }),
    { numRuns: 300 },
  );
  t.is((await rig.ask(httpCheck(), { service: BOOKS })).status.code, 0);
});

/** Processor time of one answer. Only serial tests can measure it, because other tests of this file share the thread. */
async function processorMsEach(count: number, answer: () => Promise<unknown>): Promise<number> {
  await answer();
  const startMs = threadProcessorMs();
  for (let index = 0; index < count; index++) await answer();
  return (threadProcessorMs() - startMs) / count;
}

const HOSTILE: readonly (readonly [string, object])[] = [
  ['a path of 60 KiB of slashes', { path: '/'.repeat(60_000) }],
  ['a path of 60 KiB of encoded slashes', { path: `/files/${'%2f'.repeat(20_000)}` }],
  ['a path that a backtracking expression would never finish', { path: `/${'ab'.repeat(30_000)}d` }],
  ['30,000 query parameters', { path: `/books/1?${'a&'.repeat(30_000)}` }],
  ['10,000 headers', { headers: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`h${index}`, 'v'])) }],
  ['a header of 60 KiB', { headers: { 'x-mesh-attributes': 'A'.repeat(60_000), 'user-agent': 'curl'.repeat(15_000) } }],
];

for (const [what, http] of HOSTILE) {
  test.serial(`${what} is decided in linear time`, async (t) => {
    const rig = createRig({ services: { [BOOKS]: API } });
    const bytes = checkRequestBytes(httpCheck(http));
    const eachMs = await processorMsEach(5, () => rig.server.checks.check(bytes, { service: BOOKS }));
    // Quadratic work on 60,000 characters takes seconds.
    t.true(eachMs < 250, `${eachMs} ms`);
  });
}

const MANY_RULES: Partial<ServiceConfig> = {
  quotaSpec: [
    {
      rules: Array.from({ length: 10_000 }, (_, index) => ({
        match: [{ clause: { 'request.api_key': { exact: `key-${index}` }, 'request.method': { exact: 'GET' } } }],
        quotas: [{ quota: `quota-${index}`, charge: 1 }],
      })),
    },
  ],
};

test.serial('a spec of 10,000 rules charges the matching rule at a low cost', async (t) => {
  const rig = createRig({ services: { [BOOKS]: MANY_RULES } });
  await rig.ask(httpCheck({ path: '/books/1?key=key-7654' }), { service: BOOKS });
  t.deepEqual([...(rig.transport.checks[0]?.quotas.keys() ?? [])], ['quota-7654']);
  const bytes = checkRequestBytes(httpCheck({ path: '/books/1?key=key-9999' }));
  const eachMs = await processorMsEach(100, () => rig.server.checks.check(bytes, { service: BOOKS }));
  t.true(eachMs < 5, `${eachMs} ms`);
});

test('a part of a policy that cannot be used is left out and said once, with its service and field', async (t) => {
  const rig = createRig({
    services: {
      [BOOKS]: {
        quotaSpec: [
          {
            rules: [
              { match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'never', charge: 1 }] },
              { match: [], quotas: [{ quota: 'all', charge: 1 }] },
            ],
          },
        ],
      },
    },
  });
  for (let index = 0; index < 2; index++) await rig.ask(httpCheck(), { service: BOOKS });
  t.deepEqual([...(rig.transport.checks[1]?.quotas.keys() ?? [])], ['all']);
  const warnings = rig.log.filter(({ message }) => message === 'unusable part of a policy left out');
  t.is(warnings.length, 1);
  t.is(warnings[0]?.fields['service'], BOOKS);
  t.regex(String(warnings[0]?.fields['field']), /rules\[0\]/);
});

test('each request uses one version of policies that change meanwhile', async (t) => {
  const rig = createRig();
  const generation = (index: number) => {
    const quotas = ['a', 'b', 'c'].map((name) => ({ quota: `${name}${index}`, charge: 1 }));
    return policiesOf({ [BOOKS]: { quotaSpec: [{ rules: quotas.map((quota) => ({ match: [], quotas: [quota] })) }] } });
  };
  const asking: Promise<unknown>[] = [];
  for (let index = 0; index < 200; index++) {
    rig.server.observe(generation(index));
    for (let request = 0; request < 5; request++) {
      asking.push(rig.ask(httpCheck({ id: `${index}-${request}` }), { service: BOOKS }));
      if (request === 2) await Promise.resolve();
    }
  }
  await Promise.all(asking);
  t.is(rig.transport.checks.length, 1000);
  for (const { quotas } of rig.transport.checks) {
    const generations = new Set([...quotas.keys()].map((name) => name.slice(1)));
    t.is(quotas.size, 3);
    t.is(generations.size, 1);
  }
});

test('a replaced handler finishes its running checks, and the new one decides later checks', async (t) => {
  const rig = createRig({ services: { [BOOKS]: API } });
  let answer = (): void => undefined;
  rig.transport.answer = () =>
    new Promise((resolve) => {
      answer = () =>
        resolve({
          precondition: { status: { code: 'NOT_FOUND', message: 'old' }, validUseCount: 0 },
          quotas: new Map(),
        });
    });
  const first = rig.ask(httpCheck(), { service: BOOKS });
  const asked: string[] = [];
  rig.handlers.use([
    {
      name: 'new',
      check: async ({ deduplicationId }) => {
        asked.push(deduplicationId ?? '');
        return ALLOWED;
      },
      answer: () => ({ quotas: new Map() }),
      close: async () => undefined,
    },
  ]);
  t.is((await rig.ask(httpCheck({ id: '2' }), { service: BOOKS })).status.code, 0);
  answer();
  t.is((await first).status.code, 5);
  t.is(asked.length, 1);
  t.is(rig.transport.checks.length, 1);
});
