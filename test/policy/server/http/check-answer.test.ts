import test from 'ava';
import { type CheckMetadata, readCheckMetadata } from '../../../../src/policy/server/adapter/check-metadata.js';
import { httpCheckResponse } from '../../../../src/policy/server/adapter/check-response.js';
import { checkAnswer } from '../../../../src/policy/server/http/check-answer.js';
import { type AnsweredDecision, shedVerdict, verdictOf } from '../../../../src/policy/server/request-verdict.js';

const NO_FACTS: CheckMetadata = { decision: { checkErrorCode: 0 } };

function answer(
  decision: Partial<AnsweredDecision>,
  { method = 'GET', side = 'inbound' as 'inbound' | 'outbound' } = {},
) {
  return read(checkAnswer(verdictOf({ status: { code: 'OK', message: '' }, ...decision }, side), NO_FACTS, method));
}

/** An answer in its parts. */
function read(text: string) {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = lines.map((each) => [each.slice(0, each.indexOf(':')), each.slice(each.indexOf(':') + 2)] as const);
  return { status: Number(line.split(' ')[1]), headers: new Map(headers), body: rest.join('\r\n\r\n') };
}

const denied = (httpStatus: number, rest: Partial<AnsweredDecision> = {}, method = 'GET') =>
  answer(
    {
      status: { code: 'PERMISSION_DENIED', message: 'why not' },
      routeDirective: { directResponseCode: httpStatus },
      ...rest,
    },
    { method },
  );

test('an allowed request is answered with 200, without a body, and loses the headers between proxies', (t) => {
  const { status, headers, body } = answer({});
  t.is(status, 200);
  t.is(headers.get('content-length'), '0');
  t.is(body, '');
  t.is(headers.get('x-envoy-auth-headers-to-remove'), 'x-mesh-attributes,x-mesh-charge-receipt');
});

test('an allowed request of a router leaves it with the receipt, and loses nothing', (t) => {
  const { headers } = answer({ receipt: 'r' }, { side: 'outbound' });
  t.is(headers.get('x-mesh-charge-receipt'), 'r');
  t.false(headers.has('x-envoy-auth-headers-to-remove'));
});

test('what is left of a plan and the challenge of a refusal are headers of the answer, and the refund comes back from it', (t) => {
  const responseHeaders = { ratelimit: '"all";r=9;t=43', 'ratelimit-policy': '"all";q=10;w=60' };
  for (const side of ['inbound', 'outbound'] as const) {
    t.is(answer({ responseHeaders }, { side }).headers.get('ratelimit'), '"all";r=9;t=43');
  }
  const status = { code: 'UNAUTHENTICATED', message: 'no key' } as const;
  const refused = answer({ status, responseHeaders: { 'www-authenticate': 'ApiKey' } });
  t.is(refused.status, 401);
  t.is(refused.headers.get('www-authenticate'), 'ApiKey');
  const pass = verdictOf({ status: { code: 'OK', message: '' } }, 'inbound');
  const metadata = { ...NO_FACTS, refund: { ticket: 'abc.def', codes: '5xx 429' } };
  const { headers } = read(checkAnswer(pass, metadata, 'GET'));
  const fields = Object.fromEntries([...headers].map(([name, stringValue]) => [name, { stringValue }]));
  const found = readCheckMetadata({ filterMetadata: { 'envoy.filters.http.ext_authz': { fields } } });
  t.deepEqual(found?.refund, { ticket: 'abc.def', codes: '5xx 429' });
});

test('the response to an allowed request gets headers, without characters that end a line', (t) => {
  const pass = verdictOf({ status: { code: 'OK', message: '' } }, 'inbound');
  const responseHeaders = [
    ['ratelimit', '"all";r=9;t=43'],
    ['ratelimit-policy', 'a\r\nb'],
    ['content-length', '7'],
  ] as const;
  t.is(pass.type, 'pass');
  if (pass.type !== 'pass') return;
  const { headers } = read(checkAnswer({ ...pass, responseHeaders }, NO_FACTS, 'GET'));
  t.is(headers.get('ratelimit'), '"all";r=9;t=43');
  t.is(headers.get('ratelimit-policy'), 'a  b');
  t.is(headers.get('content-length'), '0');
  const { okResponse } = httpCheckResponse({ code: 'OK', message: '' }, { ...pass, responseHeaders }, {});
  t.deepEqual(okResponse?.responseHeadersToAdd?.[0], { header: { key: 'ratelimit', value: '"all";r=9;t=43' } });
});

test('a refused request gets the text of its status, its type, and when to come again', (t) => {
  const { status, headers, body } = answer({
    status: { code: 'RESOURCE_EXHAUSTED', message: 'no more tö' },
    retryAfterMs: 1500,
  });
  t.is(status, 429);
  t.is(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.is(headers.get('retry-after'), '2');
  t.is(headers.get('content-length'), '11');
  t.is(Buffer.from(body, 'latin1').toString(), 'no more tö');
});

for (const [wanted, sent] of [
  [201, 201],
  [204, 204],
  [302, 302],
  [403, 403],
  [499, 499],
  // What Envoy would take for a permission, or for an error of the server.
  [200, 600],
  [500, 900],
  [503, 903],
  [599, 999],
] as const) {
  test(`a refusal with ${wanted} is sent as ${sent}`, (t) => {
    t.is(denied(wanted).status, sent);
  });
}

test('responses that have no body by their status or method get none', (t) => {
  for (const status of [204, 304]) {
    t.is(denied(status).body, '');
    t.false(denied(status).headers.has('content-length'));
  }
  t.is(denied(403, {}, 'HEAD').body, '');
  t.is(denied(403, {}, 'HEAD').headers.get('content-length'), '7');
});

test('headers of a rule cannot end the answer, change its length, or stand for facts of the server', (t) => {
  const { status, headers, body } = denied(403, {
    routeDirective: {
      directResponseCode: 403,
      directResponseHeaders: {
        'X-Own': 'a\r\nx-injected: b\0',
        'x-ü': 'no token',
        'a b': 'no token',
        'Content-Length': '1000',
        connection: 'keep-alive',
        'transfer-encoding': 'chunked',
        'X-Mesh-Check-Outcome': '0',
        'x-unicode': 'ü',
      },
    },
  });
  t.is(status, 403);
  t.is(headers.get('X-Own'), 'a  x-injected: b ');
  t.is(Buffer.from(headers.get('x-unicode') ?? '', 'latin1').toString(), 'ü');
  t.is(headers.get('content-length'), String(body.length));
  t.deepEqual([...headers.keys()].sort(), [
    'X-Own',
    'content-length',
    'content-type',
    'x-mesh-check-outcome',
    'x-unicode',
  ]);
});

test('a refusal by the fail policy says why', (t) => {
  const status = { code: 'UNAVAILABLE', message: 'no store' } as const;
  const failed = answer({ status, failure: 'backend' });
  t.like(failed, { status: 903, body: 'no store' });
  t.is(failed.headers.get('x-mesh-policy-unavailable'), 'backend');
  t.is(failed.headers.get('retry-after'), '1');
  const shed = read(checkAnswer(shedVerdict(status, 'inbound'), NO_FACTS, 'GET'));
  t.is(shed.headers.get('x-mesh-policy-overloaded'), 'true');
});

const FACTS: readonly CheckMetadata[] = [
  { decision: { checkErrorCode: 0, isCheckCacheHit: false, isQuotaCacheHit: false }, disableReports: false },
  {
    service: 'books.default.svc.cluster.local',
    staticAttributes: 'Q0Q=,QUJD',
    forwardedAttributes: 'QUJD',
    requestAttributes: 'QQ==',
    decision: {
      checkErrorCode: 8,
      checkErrorMessage: 'Quota is\nexhausted: ü 100% \u{1f600}',
      isCheckCacheHit: true,
      isQuotaCacheHit: true,
    },
    disableReports: true,
  },
  { service: 'b%20c', decision: { checkErrorCode: 14, isCheckCacheHit: false, isQuotaCacheHit: true } },
];

const known = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

for (const [index, facts] of FACTS.entries()) {
  test(`what a report needs comes back from the access log as it was (${index})`, (t) => {
    const { headers } = read(checkAnswer(verdictOf({ status: { code: 'OK', message: '' } }, 'outbound'), facts, 'GET'));
    const kept = [...headers].filter(([name]) => name.startsWith('x-mesh-check-'));
    for (const [, value] of kept) t.regex(value, /^[\x20-\x7e]+$/);
    const fields = Object.fromEntries(kept.map(([name, value]) => [name, { stringValue: value }]));
    const metadata = { filterMetadata: { 'envoy.filters.http.ext_authz': { fields } } };
    t.deepEqual(known(readCheckMetadata(metadata) ?? {}), { disableReports: false, ...known(facts) } as object);
  });
}

test('half a character and a text that is not encoded are no errors', (t) => {
  const halves = { decision: { checkErrorCode: 7, checkErrorMessage: 'half \ud83d' } };
  const { headers } = read(checkAnswer(shedVerdict({ code: 'OK', message: '' }, 'inbound'), halves, 'GET'));
  t.is(headers.get('x-mesh-check-message'), 'half%20%EF%BF%BD');
  const fields = {
    'x-mesh-check-outcome': { stringValue: '7 overloaded' },
    'x-mesh-check-message': { stringValue: '100%' },
  };
  const read100 = readCheckMetadata({ filterMetadata: { 'envoy.filters.http.ext_authz': { fields } } });
  t.like(read100?.decision, { checkErrorCode: 7, checkErrorMessage: '100%' });
});
