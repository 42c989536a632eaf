import test from 'ava';
import { keyOf, type MeshObject } from '../../../src/config/object.js';
import {
  createRequestAuthenticationIndexer,
  MAX_WORKLOAD_AUTHENTICATION_BYTES,
} from '../../../src/model/security/request-authentications.js';
import { readObject } from '../../config/support/read-yaml.js';

const MESH = { rootNamespace: 'mesh-system' };

/** @param where `<namespace>/<name>` */
function authentication(where: string, jwtRules: readonly object[], labels?: object): MeshObject {
  const [namespace, name] = where.split('/');
  const apiVersion = 'security.mesh.internal/v1beta1';
  const spec = { jwtRules, ...(labels && { selector: { matchLabels: labels } }) };
  return readObject(JSON.stringify({ apiVersion, kind: 'RequestAuthentication', metadata: { namespace, name }, spec }));
}

const tableOf = (objects: readonly MeshObject[]) =>
  new Map([['RequestAuthentication', new Map(objects.map((object) => [keyOf(object), object]))]]);
const indexOf = (...objects: readonly MeshObject[]) =>
  createRequestAuthenticationIndexer()({ objects: tableOf(objects), mesh: MESH });

const A = { issuer: 'https://a', jwksUri: 'https://keys/a' };
const B = { issuer: 'https://b' };

test('a workload has the rules of all objects of its namespace and the root namespace that select it', (t) => {
  const index = indexOf(
    authentication('mesh-system/all', [A]),
    authentication('shop/web', [B, A], { app: 'web' }),
    authentication('shop/other', [B], { app: 'other' }),
  );
  const namesOf = (namespace: string, labels: Readonly<Record<string, string>>) =>
    index.ofWorkload(namespace, labels).rules.map(({ name }) => name);
  t.deepEqual(namesOf('shop', { app: 'web' }), ['mesh-system/all[0]', 'shop/web[0]', 'shop/web[1]']);
  t.deepEqual(namesOf('elsewhere', { app: 'web' }), ['mesh-system/all[0]']);
  t.deepEqual(index.ofWorkload('shop', { app: 'web' }).sources, ['jwks https://keys/a', 'discovery https://b']);
});

test('objects without rules change nothing at a workload', (t) => {
  const { key, rules } = indexOf(authentication('shop/none', [])).ofWorkload('shop', {});
  t.deepEqual({ key, rules }, { key: '', rules: [] });
});

test('each source of keys is listed once, with the objects that name it', (t) => {
  const { keySources } = indexOf(authentication('shop/a', [A, A]), authentication('team/b', [A, B]));
  t.deepEqual(
    [...keySources].map(([id, { objects }]) => [id, objects.map(({ key }) => key)]),
    [
      ['jwks https://keys/a', ['RequestAuthentication/shop/a', 'RequestAuthentication/team/b']],
      ['discovery https://b', ['RequestAuthentication/team/b']],
    ],
  );
});

test('the rules of a workload are too large together beyond their limit, with the keys that will be fetched', (t) => {
  const rules = Array.from({ length: 32 }, () => A);
  const count = Math.ceil(MAX_WORKLOAD_AUTHENTICATION_BYTES / (32 * 8 * 1024)) + 1;
  const objects = Array.from({ length: count }, (_, index) => authentication(`shop/${index}`, rules));
  const index = indexOf(...objects, authentication('small/a', rules));
  t.true(index.ofWorkload('shop', {}).isTooLarge);
  t.true(index.canBeTooLarge('shop'));
  t.false(index.ofWorkload('small', {}).isTooLarge);
  t.false(index.canBeTooLarge('small'));
});
