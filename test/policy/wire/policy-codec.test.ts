import test from 'ava';
import type { RpcCode } from '../../../src/base/rpc-code.js';
import { type AttributeBag, type AttributeLayer, bagOf } from '../../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import { OK_STATUS } from '../../../src/policy/client/policy-status.js';
import type {
  CheckRequest,
  CheckResponse,
  PreconditionResult,
  QuotaResult,
} from '../../../src/policy/client/policy-transport.js';
import type { AttributeReference } from '../../../src/policy/client/referenced-attributes.js';
import { GLOBAL_WORDS } from '../../../src/policy/wire/global-words.js';
import { createPolicyCodec } from '../../../src/policy/wire/policy-codec.js';
import { loadPolicyProtos } from '../../../src/policy/wire/policy-protos.js';
import fc from '../../support/property-testing.js';
import { anyLayer, anyText } from './arbitrary-attributes.js';

const protos = loadPolicyProtos();
const codec = createPolicyCodec(protos);

/** In the order of names, which is of no meaning. */
function layerOf(bag: AttributeBag): AttributeLayer {
  return sorted(new Map([...bag.entries()].map(([name, value]) => [name, sortedEntries(value)])));
}

function sorted<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return new Map([...map].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function sortedEntries(value: AttributeValue): AttributeValue {
  return value.type === 'stringMap' ? { type: 'stringMap', value: sorted(value.value) } : value;
}

function request(layer: AttributeLayer, fields: Partial<CheckRequest> = {}): CheckRequest {
  return { attributes: bagOf(layer), deduplicationId: 'client-1', quotas: new Map(), ...fields };
}

test('attributes of every type come back from a Check exactly as they were sent', (t) => {
  fc.assert(
    fc.property(anyLayer, (layer) => {
      const { attributes } = codec.decodeCheckRequest(codec.encodeCheckRequest(request(layer)));
      t.deepEqual(layerOf(attributes), layerOf(bagOf(layer)));
    }),
    { numRuns: 300 },
  );
});

test('reports of a batch come back exactly as they were sent, in their order', (t) => {
  fc.assert(
    fc.property(fc.array(anyLayer, { maxLength: 6 }), (layers) => {
      const bytes = codec.encodeReportRequest({ attributes: layers.map(bagOf) });
      t.deepEqual(codec.decodeReportRequest(bytes).attributes.map(layerOf), layers.map(bagOf).map(layerOf));
    }),
    { numRuns: 200 },
  );
});

test('attributes come back whatever part of the words of the protocol the sender limits itself to', (t) => {
  fc.assert(
    fc.property(anyLayer, fc.nat(400), (layer, globalWordCount) => {
      const limited = createPolicyCodec(protos, { globalWordCount });
      const bytes = limited.encodeCheckRequest(request(layer));
      t.deepEqual(layerOf(codec.decodeCheckRequest(bytes).attributes), layerOf(bagOf(layer)));
    }),
    { numRuns: 200 },
  );
});

test('quotas and the deduplication id of a Check come back as they were sent', (t) => {
  const amount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const quotas = fc.array(fc.tuple(anyText, fc.record({ amount, bestEffort: fc.boolean() })));
  fc.assert(
    fc.property(quotas, fc.uuid(), (entries, deduplicationId) => {
      const sent = request(new Map(), { quotas: new Map(entries), deduplicationId });
      const received = codec.decodeCheckRequest(codec.encodeCheckRequest(sent));
      t.deepEqual(sorted(received.quotas), sorted(sent.quotas));
      t.is(received.deduplicationId, deduplicationId);
    }),
  );
});

const anyCode = fc.constantFrom<RpcCode>('OK', 'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'UNAUTHENTICATED', 'UNKNOWN');
const anyStatus = fc.record({ code: anyCode, message: anyText });
/** Whole microseconds, which a double of milliseconds has exactly enough. */
const anyMilliseconds = fc.integer({ min: 0, max: 10 ** 9 }).map((microseconds) => microseconds / 1000);
const anyReference: fc.Arbitrary<AttributeReference> = fc.record(
  { name: anyText, mapKey: anyText, condition: fc.constantFrom('ABSENCE', 'EXACT', 'REGEX') },
  { requiredKeys: ['name', 'condition'] },
);
const anyReferences = fc.array(anyReference, { maxLength: 4 });

const anyPrecondition: fc.Arbitrary<PreconditionResult> = fc.record(
  {
    status: anyStatus,
    validDurationMs: anyMilliseconds,
    validUseCount: fc.integer({ min: -1, max: 2 ** 31 - 1 }),
    referencedAttributes: anyReferences,
    routeDirective: fc.record({ directResponseCode: fc.integer({ min: 1, max: 599 }), directResponseBody: anyText }),
  },
  { requiredKeys: ['status', 'validUseCount'] },
);

const anyQuotaResult: fc.Arbitrary<QuotaResult> = fc.record(
  {
    grantedAmount: fc.integer({ min: -1, max: Number.MAX_SAFE_INTEGER }),
    validDurationMs: anyMilliseconds,
    status: anyStatus,
    referencedAttributes: anyReferences,
    retryAfterMs: anyMilliseconds,
  },
  { requiredKeys: ['grantedAmount'] },
);

test('the answer to a Check comes back as it was sent, what is missing still missing', (t) => {
  const response: fc.Arbitrary<CheckResponse> = fc.record(
    {
      precondition: anyPrecondition,
      quotas: fc.array(fc.tuple(anyText, anyQuotaResult), { maxLength: 4 }).map((entries) => new Map(entries)),
    },
    { requiredKeys: ['quotas'] },
  );
  fc.assert(
    fc.property(response, (sent) => {
      const received = codec.decodeCheckResponse(codec.encodeCheckResponse(sent));
      t.deepEqual(comparable(received), comparable(sent));
    }),
    { numRuns: 300 },
  );
});

/** Quotas in order; an empty text of a route directive is the same as none. */
function comparable({ precondition, quotas }: CheckResponse): CheckResponse {
  if (precondition?.routeDirective === undefined)
    return { ...(precondition && { precondition }), quotas: sorted(quotas) };
  const { directResponseBody, ...routeDirective } = precondition.routeDirective;
  return {
    precondition: {
      ...precondition,
      routeDirective: directResponseBody ? { ...routeDirective, directResponseBody } : routeDirective,
    },
    quotas: sorted(quotas),
  };
}

test('an answer that holds for ever, or for more uses than the message can say, still does', (t) => {
  const precondition: PreconditionResult = {
    status: { code: 'OK', message: '' },
    validDurationMs: Number.POSITIVE_INFINITY,
    validUseCount: Number.POSITIVE_INFINITY,
  };
  const received = codec.decodeCheckResponse(codec.encodeCheckResponse({ precondition, quotas: new Map() }));
  t.deepEqual(received.precondition, { status: { code: 'OK', message: '' }, validUseCount: 2 ** 31 - 1 });
});

function encodeResponse(message: object): Buffer {
  const type = protos.type('mesh.policy.v1.CheckResponse');
  return type.encode(type.fromObject(message as Record<string, unknown>)).finish() as Buffer;
}

test('any negative number of uses is without limit', (t) => {
  for (const validUseCount of [-1, -5, Number.NEGATIVE_INFINITY]) {
    const response = { precondition: { status: OK_STATUS, validUseCount }, quotas: new Map() };
    t.is(codec.decodeCheckResponse(codec.encodeCheckResponse(response)).precondition?.validUseCount, -1);
  }
});

test('a sender that knows few protocol words writes out the others, and sends the number of known words', (t) => {
  const names = GLOBAL_WORDS.slice(0, 5);
  const layer = new Map(names.map((name) => [name, { type: 'bool', value: true } as const]));
  const bytes = createPolicyCodec(protos, { globalWordCount: 3 }).encodeCheckRequest(request(layer));
  t.deepEqual(
    names.map((name) => bytes.includes(name)),
    [false, false, false, true, true],
  );
  t.is((protos.type('mesh.policy.v1.CheckRequest').decode(bytes) as { globalWordCount?: number }).globalWordCount, 3);
});

test('an unknown status number refuses as UNKNOWN', (t) => {
  for (const code of [17, 99, -1]) {
    const bytes = encodeResponse({ precondition: { status: { code, message: 'what?' } } });
    t.deepEqual(codec.decodeCheckResponse(bytes).precondition?.status, { code: 'UNKNOWN', message: 'what?' });
  }
});

test('an unknown condition becomes REGEX, so that the answer is not cached', (t) => {
  for (const condition of [0, 17]) {
    const bytes = encodeResponse({
      precondition: { referencedAttributes: { attributeMatches: [{ name: 'source.user', condition }] } },
    });
    const { precondition } = codec.decodeCheckResponse(bytes);
    t.deepEqual(precondition?.referencedAttributes, [{ name: 'source.user', condition: 'REGEX' }]);
  }
});

test('a grant above the exact range of numbers never becomes larger', (t) => {
  const bytes = encodeResponse({ quotas: { rate: { grantedAmount: '9223372036854775807' } } });
  t.is(codec.decodeCheckResponse(bytes).quotas.get('rate')?.grantedAmount, Number.MAX_SAFE_INTEGER);
});

test('an answer is small: words of the protocol are numbers, and other words come once', (t) => {
  const value = (text: string) => ({ type: 'string', value: text }) as const;
  const user = 'spiffe://cluster.local/ns/default/sa/web';
  const layer = new Map([
    ['source.principal', value(user)],
    ['source.user', value(user)],
    ['request.method', value('GET')],
  ]);
  const bytes = codec.encodeCheckRequest(request(layer));
  t.is(bytes.indexOf('source.user'), -1);
  t.is(bytes.indexOf('GET'), -1);
  t.is(bytes.indexOf(user), bytes.lastIndexOf(user));
  const reports = codec.encodeReportRequest({ attributes: [bagOf(layer), bagOf(layer)] });
  t.is(reports.indexOf(user), reports.lastIndexOf(user));
});
