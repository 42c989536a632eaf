import { generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import test from 'ava';
import { keySourceOf } from '../../src/config/security/key-source.js';
import { createKeySetFetcher, type KeySetFetcherOptions } from '../../src/jwks/key-set-fetcher.js';
import { type KeySets, NO_KEY_SETS } from '../../src/model/security/key-sets.js';
import type { KeySourceUse } from '../../src/model/security/request-authentications.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';

/** With its fields in the order in which proxies get them. */
const keyOf = ({ kty, crv, x }: JsonWebKey) => ({ kty, crv, x });
const SECOND = 1_000;
const newKeys = () =>
  JSON.stringify({ keys: [keyOf(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }))] });

/** A fetch ends some turns of the event loop after its timer. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

function usesOf(...urls: readonly string[]): ReadonlyMap<string, KeySourceUse> {
  return new Map(
    urls.flatMap((url) => {
      const source = keySourceOf({ issuer: 'https://issuer', jwksUri: url, forwardOriginalToken: false });
      if (source === undefined) return [];
      return [[source.id, { source, objects: [{ key: 'RequestAuthentication/shop/a', namespace: 'shop' }] }] as const];
    }),
  );
}

function create(options: Partial<KeySetFetcherOptions> = {}) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const documents = new Map<string, string | Error>();
  const fetches: string[] = [];
  const counts = new Map<string, number>();
  const states = new Map<string, number>();
  const changes: (readonly string[])[] = [];
  let keySets: KeySets = NO_KEY_SETS;
  let problems = 0;
  const fetcher = createKeySetFetcher({
    fetchDocument: async (url) => {
      fetches.push(url);
      const document = documents.get(url) ?? new Error('the server answered 404');
      if (document instanceof Error) throw document;
      return document;
    },
    limits: { maxSources: 10, maxPerNamespace: 10 },
    refreshMs: 60 * SECOND,
    maxAgeMs: 3600 * SECOND,
    clock,
    random: () => 0.5,
    metrics: {
      increment: (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1),
      set: (_name: string, labels: object, value = 0) => void states.set(Object.values(labels).join(), value),
    } as KeySetFetcherOptions['metrics'],
    logger,
    onKeys: (next, changed) => {
      keySets = next;
      changes.push([...changed]);
    },
    onProblems: () => problems++,
    ...options,
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return {
    clock,
    logger,
    documents,
    fetches,
    counts,
    states,
    changes,
    fetcher,
    pass,
    keySets: () => keySets,
    problems: () => problems,
  };
}

const A = 'https://a/keys';
const A_ID = `jwks ${A}`;

test('keys are fetched once for all users, again after each interval, and told only when they change', async (t) => {
  const { documents, fetches, changes, fetcher, pass, keySets, counts } = create();
  const first = newKeys();
  documents.set(A, first);
  fetcher.follow(usesOf(A));
  await settled();
  t.is(keySets().get(A_ID)?.text, first);
  await pass(60 * SECOND);
  t.deepEqual(fetches, [A, A]);
  t.deepEqual(changes, [[A_ID]]);
  documents.set(A, newKeys());
  await pass(60 * SECOND);
  t.deepEqual(changes, [[A_ID], [A_ID]]);
  t.is(keySets().get(A_ID)?.text, String(documents.get(A)));
  t.is(counts.get('nav_jwks_resolver_network_fetch_success_total'), 3);
});

test('a failed fetch is repeated sooner than the interval, logged once, and a problem until it succeeds', async (t) => {
  const { documents, fetches, fetcher, pass, logger, counts, states, problems } = create();
  fetcher.follow(usesOf(A));
  await settled();
  t.deepEqual([...fetcher.problems()], [[A_ID, { reason: 'the server answered 404', hasKeys: false }]]);
  t.is(states.get('failed'), 1);
  await pass(2 * SECOND);
  t.is(fetches.length, 2);
  t.is(logger.records.filter(({ level }) => level === 'warn').length, 1);
  t.is(counts.get('nav_jwks_resolver_network_fetch_fail_total'), 2);
  documents.set(A, newKeys());
  await pass(60 * SECOND);
  t.deepEqual([...fetcher.problems()], []);
  t.is(problems(), 2);
  t.is(states.get('fresh'), 1);
});

test('the last keys count for the longest age, and then no tokens of the issuer pass', async (t) => {
  const { documents, changes, fetcher, pass, keySets } = create({ maxAgeMs: 600 * SECOND });
  documents.set(A, newKeys());
  fetcher.follow(usesOf(A));
  await settled();
  documents.delete(A);
  for (let minute = 0; minute < 9; minute++) await pass(60 * SECOND);
  t.true(keySets().has(A_ID));
  t.true(fetcher.problems().get(A_ID)?.hasKeys);
  for (let minute = 0; minute < 3; minute++) await pass(60 * SECOND);
  t.false(keySets().has(A_ID));
  t.false(fetcher.problems().get(A_ID)?.hasKeys);
  t.deepEqual(changes, [[A_ID], [A_ID]]);
});

test('a source that no object names any more is forgotten with its keys', async (t) => {
  const { clock, documents, fetches, fetcher, pass, keySets } = create();
  documents.set(A, newKeys());
  fetcher.follow(usesOf(A));
  await settled();
  fetcher.follow(usesOf());
  t.is(keySets().size, 0);
  t.is(clock.timers, 0);
  await pass(600 * SECOND);
  t.deepEqual(fetches, [A]);
});

test('sources over a limit are not fetched, and the log and the problems name the setting', async (t) => {
  const { documents, fetches, fetcher, logger, states } = create({ limits: { maxSources: 10, maxPerNamespace: 1 } });
  documents.set(A, newKeys());
  fetcher.follow(usesOf(A, 'https://b/keys'));
  await settled();
  t.deepEqual(fetches, [A]);
  t.is(fetcher.problems().get('jwks https://b/keys')?.refusedBy, 'NAV_JWKS_MAX_NAMESPACE_SOURCES');
  t.is(states.get('refused'), 1);
  const [warning] = logger.records.filter(({ level }) => level === 'warn');
  t.like(warning?.fields, { setting: 'NAV_JWKS_MAX_NAMESPACE_SOURCES', namespaces: ['shop'], url: 'https://b/keys' });
});

test('a start waits for the first fetches, and no longer than it is told', async (t) => {
  let answer: (text: string) => void = () => undefined;
  const { clock, fetcher } = create({
    fetchDocument: (url) => (url === A ? Promise.resolve(newKeys()) : new Promise((resolve) => (answer = resolve))),
  });
  fetcher.follow(usesOf(A, 'https://slow/keys'));
  let isOver = false;
  const waiting = fetcher.triedAll(5 * SECOND).then(() => (isOver = true));
  await settled();
  t.false(isOver);
  clock.advance(5 * SECOND);
  await waiting;
  const second = fetcher.triedAll(5 * SECOND);
  answer(newKeys());
  await second;
  t.pass();
});

test('a fetch that ends after the stop changes nothing', async (t) => {
  let answer: (text: string) => void = () => undefined;
  const { clock, fetcher, changes } = create({ fetchDocument: () => new Promise((resolve) => (answer = resolve)) });
  fetcher.follow(usesOf(A));
  await settled();
  fetcher.stop();
  answer(newKeys());
  await settled();
  t.deepEqual(changes, []);
  t.is(clock.timers, 0);
});
