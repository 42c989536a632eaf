import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { PeerAuthenticationSpec } from '../../../src/config/security/peer-authentication.js';
import { modeOfPort } from '../../../src/model/security/mutual-tls.js';
import { createPeerAuthenticationIndexer } from '../../../src/model/security/peer-authentications.js';
import fc from '../../support/property-testing.js';
import { peerAuthentication, tableOf } from './peer-authentication.js';

const ROOT = 'root';
const NAMESPACES = [ROOT, 'a', 'b'];
const PORTS = [80, 8080];

const mode = fc.constantFrom('UNSET', 'DISABLE', 'PERMISSIVE', 'STRICT');
const mtls = fc.option(fc.record({ mode }), { nil: undefined });
const labels = fc.record({ app: fc.constantFrom('x', 'y'), tier: fc.constantFrom('1', '2') }, { requiredKeys: [] });
const ports = fc.option(fc.dictionary(fc.constantFrom('80', '8080'), fc.record({ mode }), { minKeys: 1 }), {
  nil: undefined,
});
const object = fc
  .record({
    namespace: fc.constantFrom(...NAMESPACES),
    name: fc.constantFrom('p', 'q', 'r', 's'),
    day: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
    matchLabels: labels,
    mtls,
    ports,
  })
  .map(({ namespace, name, day, matchLabels, ports: portLevelMtls, ...rest }) => {
    const isSelecting = Object.keys(matchLabels).length > 0;
    const spec = {
      ...(rest.mtls === undefined ? {} : { mtls: rest.mtls }),
      ...(isSelecting ? { selector: { matchLabels } } : {}),
      ...(isSelecting && portLevelMtls !== undefined ? { portLevelMtls } : {}),
    };
    return peerAuthentication(
      `${namespace}/${name}`,
      spec,
      day === undefined ? undefined : `2026-01-0${day}T00:00:00Z`,
    );
  });
const objects = fc.uniqueArray(object, {
  maxLength: 8,
  selector: ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
});

/** The rules as they are written down, one workload and port at a time, with nothing shared or remembered. */
function expected(all: readonly MeshObject[], namespace: string, of: Record<string, string>, port: number): string {
  const age = ({ metadata }: MeshObject) => metadata.creationTimestamp ?? '9';
  const oldestFirst = all.toSorted((a, b) => {
    const [first, second] = [`${age(a)} ${a.metadata.name}`, `${age(b)} ${b.metadata.name}`];
    return first < second ? -1 : 1;
  });
  const oldest = (where: string, isMeant: (spec: PeerAuthenticationSpec) => boolean) =>
    oldestFirst.find(({ metadata, body }) => metadata.namespace === where && isMeant(body as PeerAuthenticationSpec))
      ?.body as PeerAuthenticationSpec | undefined;
  const wanted = (spec: PeerAuthenticationSpec) => Object.entries(spec.selector?.matchLabels ?? {});
  const workload = oldest(
    namespace,
    (spec) => wanted(spec).length > 0 && wanted(spec).every(([key, value]) => of[key] === value),
  );
  const levels = [
    workload?.portLevelMtls?.[String(port)]?.mode,
    workload?.mtls?.mode,
    oldest(namespace, (spec) => wanted(spec).length === 0)?.mtls?.mode,
    oldest(ROOT, (spec) => wanted(spec).length === 0)?.mtls?.mode,
  ];
  return levels.find((each) => each !== undefined && each !== 'UNSET') ?? 'PERMISSIVE';
}

test('whatever the objects, each port has the mode that the rules say, also after any earlier objects', (t) => {
  fc.assert(
    fc.property(fc.array(objects, { minLength: 1, maxLength: 3 }), labels, (states, of) => {
      const index = createPeerAuthenticationIndexer();
      for (const state of states) {
        const found = index({ objects: tableOf(state), mesh: { rootNamespace: ROOT } });
        for (const namespace of NAMESPACES) {
          const workload = found.ofNamespace(namespace).ofWorkload(of);
          for (const port of PORTS) {
            if (modeOfPort(workload, port) !== expected(state, namespace, of, port)) return false;
          }
        }
      }
      return true;
    }),
    { numRuns: 2000 },
  );
  t.pass();
});

test('namespaces with equal keys have equal modes, and are the same object from state to state', (t) => {
  fc.assert(
    fc.property(objects, objects, (first, second) => {
      const index = createPeerAuthenticationIndexer();
      const states = [first, second].map((state) => index({ objects: tableOf(state), mesh: { rootNamespace: ROOT } }));
      return [...NAMESPACES, 'other'].every((namespace) => {
        const [before, after] = states.map((state) => state.ofNamespace(namespace));
        return before?.key !== after?.key || before === after || after === states[1]?.ofNamespace('other');
      });
    }),
    { numRuns: 1000 },
  );
  t.pass();
});
