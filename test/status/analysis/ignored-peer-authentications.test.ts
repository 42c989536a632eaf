import test from 'ava';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { contextOf } from '../../model/mesh-objects.js';
import { peerAuthentication } from '../../model/security/peer-authentication.js';
import { ENFORCEMENT, shown } from './support.js';

const DAYS = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'] as const;
const REMEDY = 'change or remove the older one, or select workloads to which it does not apply';

type Described = readonly [where: string, labels: Readonly<Record<string, string>>, day: 0 | 1 | 2];

const objectOf = ([where, matchLabels, day]: Described) =>
  peerAuthentication(where, { selector: { matchLabels }, mtls: { mode: 'STRICT' } }, DAYS[day]);
const messagesOf = (...described: readonly Described[]) =>
  analyze(analysisInputOf(contextOf(described.map(objectOf)), ENFORCEMENT)).map(shown);

test('a younger object for a whole namespace is MESH0301, which names the one that applies', (t) => {
  t.deepEqual(messagesOf(['shop/a', {}, 2], ['shop/b', {}, 1], ['safe/a', {}, 2], ['mesh-system/a', {}, 0]), [
    `MESH0301 PeerAuthentication/shop/a: the older PeerAuthentication/shop/b applies to the whole namespace; ${REMEDY}`,
  ]);
});

test('an object is MESH0301 if an older one selects all its workloads, by the same labels or fewer', (t) => {
  const found = messagesOf(
    ['shop/wide', { app: 'web' }, 0],
    ['shop/narrow', { app: 'web', tier: 'front' }, 1],
    ['shop/same', { app: 'web' }, 2],
    ['safe/same', { app: 'web' }, 2],
  );
  t.deepEqual(found, [
    `MESH0301 PeerAuthentication/shop/narrow: the older PeerAuthentication/shop/wide applies to every workload that this one selects; ${REMEDY}`,
    `MESH0301 PeerAuthentication/shop/same: the older PeerAuthentication/shop/wide applies to every workload that this one selects; ${REMEDY}`,
  ]);
});

test('other levels, other labels and a younger wider object cause no message', (t) => {
  t.deepEqual(
    messagesOf(
      ['shop/all', {}, 0],
      ['shop/web', { app: 'web', tier: 'front' }, 1],
      ['shop/api', { app: 'api', tier: 'front' }, 1],
      ['shop/wider', { tier: 'front' }, 2],
    ),
    [],
  );
});

test('only the candidate gets the message at admission', (t) => {
  const context = contextOf([objectOf(['shop/a', {}, 0]), objectOf(['shop/b', {}, 1])]);
  const said = (candidate: Described) => createCandidateAnalysis(context)(objectOf(candidate), ENFORCEMENT).map(shown);
  t.deepEqual(said(['shop/c', {}, 2]), [
    `MESH0301 PeerAuthentication/shop/c: the older PeerAuthentication/shop/a applies to the whole namespace; ${REMEDY}`,
  ]);
  t.deepEqual(said(['shop/c', { app: 'web' }, 2]), []);
  t.deepEqual(said(['shop/a', {}, 0]), [], 'an object does not stand in its own way');
});

test('a changed PeerAuthentication leads to a new analysis', (t) => {
  const [one, other] = [contextOf([objectOf(['shop/a', {}, 0])]), contextOf([])];
  t.true(canDiffer(one, other));
});

test('without authn in --plugins each PeerAuthentication is MESH0302, in the mesh and at admission', (t) => {
  const enforcement = { ...ENFORCEMENT, isAuthnOff: true };
  const object = objectOf(['shop/a', {}, 0]);
  const expected = [
    'MESH0302 PeerAuthentication/shop/a: this PeerAuthentication is not enforced: --plugins does not name authn; ' +
      'add authn to --plugins; until then workloads accept mutual TLS and plaintext (PERMISSIVE)',
  ];
  t.deepEqual(analyze(analysisInputOf(contextOf([object]), enforcement)).map(shown), expected);
  t.deepEqual(createCandidateAnalysis(contextOf([]))(object, enforcement).map(shown), expected);
});
