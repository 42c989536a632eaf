import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import type { AdmissionRequest } from '../../../src/webhooks/admission/admission-request.js';
import { createReviewIntake } from '../../../src/webhooks/admission/review-intake.js';
import { createWorkPace } from '../../../src/webhooks/admission/work-pace.js';
import type { CandidateWarnings } from '../../../src/webhooks/validation/candidate-warnings.js';
import {
  createValidationEndpoint,
  createValidationHandler,
} from '../../../src/webhooks/validation/validation-handler.js';
import fc from '../../support/property-testing.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { asked, kinds, QUOTA_SPEC } from '../fixtures/ask.js';
import { FUZZ_RUNS, fuzzSeed } from '../fixtures/fuzz-seed.js';

function createRig(warningsOf: CandidateWarnings['warningsOf'] = () => []) {
  const registry = new Registry();
  const logger = createRecordingLogger();
  const handler = createValidationHandler({
    kinds,
    metrics: createMetrics(registry),
    logger,
    warnings: { warningsOf },
  });
  const call = { path: '/validate', signal: new AbortController().signal, pace: createWorkPace(systemClock) };
  return {
    logger,
    answer: (object: unknown, fields: Partial<AdmissionRequest> = {}) => handler(asked(object, fields), call),
    /** Every series with its value. */
    counted: async () =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.replace('cfgsrv_validation_', '')),
  };
}

const QUOTA_LABELS = 'group="config.mesh.internal",version="v1alpha2",resource="quotaspecs"';

test('a valid object is counted, and allowed with its warnings', async (t) => {
  const rig = createRig((candidate, isNew) => [`${candidate.metadata.name} is odd, new: ${isNew}`]);
  t.deepEqual(await rig.answer(QUOTA_SPEC), { allowed: true, warnings: ['limits is odd, new: true'] });
  t.deepEqual(await rig.answer(QUOTA_SPEC, { operation: 'UPDATE', oldObject: QUOTA_SPEC }), {
    allowed: true,
    warnings: ['limits is odd, new: false'],
  });
  t.deepEqual(await rig.counted(), [`passed{${QUOTA_LABELS}} 2`]);
});

test('an invalid object is rejected as Invalid, and counted with the reason', async (t) => {
  const rig = createRig();
  const answer = await rig.answer({ ...QUOTA_SPEC, extra: 1 });
  t.deepEqual(answer, {
    allowed: false,
    message: 'unknown field "extra" on QuotaSpec resource shop/limits',
    code: 422,
    reason: 'Invalid',
  });
  t.deepEqual(await rig.counted(), [`failed{${QUOTA_LABELS},reason="invalid_resource"} 1`]);
});

test('an unreadable object is a bad request, and counted with the reason', async (t) => {
  const rig = createRig();
  t.like(await rig.answer(undefined, { resource: asked(QUOTA_SPEC).resource }), { code: 400, reason: 'BadRequest' });
  t.deepEqual(await rig.counted(), [`failed{${QUOTA_LABELS},reason="yaml_decode_error"} 1`]);
});

test('a deletion is allowed, and counted as unsupported', async (t) => {
  const rig = createRig();
  t.deepEqual(await rig.answer(undefined, { operation: 'DELETE', resource: asked(QUOTA_SPEC).resource }), {
    allowed: true,
  });
  t.deepEqual(await rig.counted(), [`failed{${QUOTA_LABELS},reason="unsupported_operation"} 1`]);
});

test('unknown resources share one metric series', async (t) => {
  const rig = createRig();
  for (let index = 0; index < 5; index++) {
    await rig.answer(QUOTA_SPEC, { resource: { group: `g${index}`, version: 'v', resource: 'r' } });
  }
  t.deepEqual(await rig.counted(), ['passed{group="unknown",version="unknown",resource="unknown"} 5']);
});

test('unknown fields of a spec cause warnings', async (t) => {
  const answer = await createRig().answer({ ...QUOTA_SPEC, spec: { ...QUOTA_SPEC.spec, rulez: 1 } });
  t.deepEqual(answer.warnings, ['unknown field "spec.rulez": it has no effect; did you mean rules?']);
});

test('a failure to find warnings does not reject the object', async (t) => {
  const sync = createRig(() => {
    throw new Error('broken');
  });
  t.deepEqual(await sync.answer(QUOTA_SPEC), { allowed: true, warnings: [] });
  const async = createRig(() => Promise.reject(new Error('broken')));
  t.deepEqual(await async.answer(QUOTA_SPEC), { allowed: true, warnings: [] });
  t.deepEqual(
    [sync, async].map(({ logger }) => logger.records[0]?.level),
    ['error', 'error'],
  );
});

test('a request that is no review is counted by its status', async (t) => {
  const registry = new Registry();
  const endpoint = createValidationEndpoint({
    kinds,
    metrics: createMetrics(registry),
    logger: createRecordingLogger(),
    warnings: { warningsOf: () => [] },
    clock: systemClock,
    intake: createReviewIntake({ clock: systemClock }),
  });
  const server = createServer((request, response) => void endpoint(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/validate`;
  const answer = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'text/plain' } });
  t.is(answer.status, 415);
  t.true((await registry.metrics()).includes('cfgsrv_validation_http_error{status="415"} 1\n'));
});

test('every object gets an answer', async (t) => {
  const rig = createRig();
  const specs: Readonly<Record<string, readonly string[]>> = {
    QuotaSpec: ['rules', 'match', 'clause', 'quotas', 'quota', 'charge', 'exact', 'prefix', 'regex'],
    QuotaSpecBinding: ['services', 'quotaSpecs', 'name', 'namespace', 'domain', 'labels', 'service'],
    HTTPAPISpec: [
      'attributes',
      'patterns',
      'apiKeys',
      'httpMethod',
      'uriTemplate',
      'regex',
      'query',
      'header',
      'cookie',
    ],
    HTTPAPISpecBinding: ['services', 'apiSpecs', 'name', 'namespace', 'service'],
    ServiceEntry: ['hosts', 'addresses', 'ports', 'number', 'protocol', 'resolution', 'endpoints', 'workloadSelector'],
    WorkloadEntry: ['address', 'ports', 'labels', 'network', 'weight'],
    PeerAuthentication: ['selector', 'matchLabels', 'mtls', 'mode', 'portLevelMtls'],
  };
  const cases = fc.constantFrom(...Object.keys(specs)).chain((kind) => {
    const keys = fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(specs[kind] ?? [])) },
      fc.constantFrom('__proto__', 'constructor', 'toString'),
      fc.string({ maxLength: 5 }),
    );
    const leaf = fc.oneof(
      fc.constantFrom('GET', '*', '/a/{b}', '/{', '(', 'a.com', '1s', 'STRICT', '10.0.0.1/8', 'shop'),
      fc.string({ maxLength: 8, unit: 'binary' }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    const definition = kinds.definitions.find((known) => known.kind === kind);
    const apiVersion = `${definition?.group}/${definition?.versions[0]}`;
    return fc.record({
      object: fc.record(
        {
          apiVersion: fc.constant(apiVersion),
          kind: fc.constant(kind),
          metadata: fc.oneof(
            { weight: 5, arbitrary: fc.constant({ name: 'a' }) },
            fc.dictionary(fc.string(), fc.jsonValue()),
            tree,
          ),
          spec: tree,
        },
        { requiredKeys: ['apiVersion', 'kind'] },
      ),
      operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'),
    });
  });
  const tally = { allowed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(cases, async ({ object, operation }) => {
      const answer = await rig.answer(object, { operation });
      tally[answer.allowed ? 'allowed' : 'refused']++;
      if (!answer.allowed)
        t.regex(answer.message ?? '', /^(error decoding configuration|configuration is invalid): \S/);
    }),
    { numRuns: FUZZ_RUNS, seed: fuzzSeed(t) },
  );
  t.log(tally);
  t.deepEqual(
    rig.logger.records.filter(({ level }) => level === 'error'),
    [],
  );
});
